import type { InputSource } from '../delivery/intake.ts'
import type { LineReader } from '../delivery/line-reader.ts'
import { type Place, START } from '../delivery/place.ts'
import { type Head, readHead } from '../record/head.ts'
import type { LineSink } from '../record/lines.ts'
import { addNotes, countOne, emptyNotes, foldNotes, MOST_NAMES, type Notes } from '../record/notes.ts'
import { readLines } from './inspect.ts'
import { cutExample } from './spot.ts'
import type { LinePlace } from './uuids-seen.ts'

/** Files of the service's own events, which are read by the rules of an import. */
export interface EventFiles {
  readonly open: () => Promise<{
    readonly source: Pick<InputSource, 'pieces' | 'totalBytes' | 'bytesBefore'>
    readonly reader: LineReader
  }>
  readonly interrupted: AbortSignal
  readonly progress: (bytes: number) => void
  /** Where to begin; at the beginning of all without it. */
  readonly from?: Place
}

export interface FirstReject {
  /** From 1. */
  readonly line: number
  readonly file?: string | undefined
  readonly reason: string
  readonly message: string
}

/** Such a line as an example. */
export function rejectText({ line, file, reason, message }: FirstReject): string {
  return cutExample(`line ${line}${file === undefined ? '' : ` of ${file}`}: ${reason}: ${message}`)
}

/** After this number of lines with notes, names beyond the limit are counted together. */
const NOTED_AT_ONCE = 1000

/**
 * Reads everything from there on once, and calls `each` with every event line that would be sent. Gives rejected lines by reason, and
 * the first of them.
 */
export async function readEvents(
  { open, interrupted, progress, from: begin = START }: EventFiles,
  each: (line: Buffer, head: Head, noted: Notes | undefined, place: LinePlace) => void,
  between?: () => Promise<void>,
) {
  const { source, reader } = await open()
  const counts = { written: 0, rejected: 0 }
  const notes = emptyNotes()
  const rejects: Record<string, number> = {}
  let reject: FirstReject | undefined
  const place: LinePlace = { file: undefined, line: 0 }
  let noted = 0
  const refuse = (reason: string, message: string, line: number) => {
    counts.rejected++
    countOne(rejects, reason)
    reject ??= { line, file: place.file, reason, message }
  }
  const sink = {
    line(...[bytes, start, end, offset, number]: Parameters<LineSink['line']>) {
      const unsent = reader.read(bytes, start, end, { offset, line: number })
      const found = reader.takeNotes()
      if (found) {
        addNotes(notes, found)
        if (++noted % NOTED_AT_ONCE === 0) foldNotes(notes, MOST_NAMES)
      }
      if (unsent) {
        if (!unsent.filtered) refuse(unsent.reason, unsent.message, number)
        return
      }
      counts.written++
      const line = reader.bytes.subarray(reader.start, reader.end)
      place.line = number
      each(line, readHead(line, 0, line.length)!, found, place)
    },
    tooLong(_offset: number, length: number, number: number) {
      refuse('line_too_long', `the line has ${length} bytes`, number)
    },
  }
  const starts: number[] = []
  progress(source.bytesBefore(begin))
  for await (const { file, from, chunks } of source.pieces(begin)) {
    reader.begin(file)
    place.file = file
    starts.push(source.bytesBefore(from))
    await readLines(chunks, sink, { interrupted, progress, between })
  }
  const parts = starts.map((start, n) => ({ bytes: (starts[n + 1] ?? source.totalBytes) - start }))
  foldNotes(notes, MOST_NAMES)
  return { parts, counts, notes, rejects, reject }
}
