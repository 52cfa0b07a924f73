import type { InputSource } from '../delivery/event-source.ts'
import type { LineReader } from '../delivery/line-reader.ts'
import { type Place, START } from '../delivery/place.ts'
import { readHead } from '../record/head.ts'
import { MOST_NAMES } from '../record/name-table.ts'
import { addNotes, emptyNotes, foldNotes, type Notes } from '../record/notes.ts'
import type { EachLine } from '../store/read-parts.ts'
import { readLines } from './inspect.ts'

/** Files of the service's own events, which are read by the rules of an import. */
export interface EventFiles {
  /** Called for each pass over them. */
  readonly open: () => Promise<{
    readonly source: Pick<InputSource, 'pieces' | 'totalBytes' | 'bytesBefore'>
    readonly reader: LineReader
  }>
  readonly interrupted: AbortSignal
  readonly progress: (bytes: number) => void
  /** Where to begin; at the beginning of all without it. */
  readonly from?: Place
}

/** What was found on the way. */
export interface EventPass {
  readonly parts: readonly { readonly bytes: number }[]
  readonly counts: { readonly written: number; readonly rejected: number }
  readonly notes: Notes
}

/** After so many lines with notes, names that are too many are counted together. */
const NOTED_AT_ONCE = 1000

/** Reads everything from there on once, and calls `each` with every event line that would be sent. */
export async function readEvents(
  { open, interrupted, progress, from: begin = START }: EventFiles,
  each: EachLine,
  between?: () => Promise<void>,
): Promise<EventPass> {
  const { source, reader } = await open()
  const counts = { written: 0, rejected: 0 }
  const notes = emptyNotes()
  let noted = 0
  const sink = {
    line(bytes: Buffer, start: number, end: number, offset: number, number: number) {
      const unsent = reader.read(bytes, start, end, offset, number)
      const found = reader.takeNotes()
      if (found) {
        addNotes(notes, found)
        if (++noted % NOTED_AT_ONCE === 0) foldNotes(notes, MOST_NAMES)
      }
      if (unsent) {
        if (!unsent.filtered) counts.rejected++
        return
      }
      counts.written++
      const line = reader.bytes.subarray(reader.start, reader.end)
      each(line, readHead(line, 0, line.length)!)
    },
    tooLong() {
      counts.rejected++
    },
  }
  const starts: number[] = []
  progress(source.bytesBefore(begin))
  for await (const { file, from, chunks } of source.pieces(begin)) {
    reader.begin(file)
    starts.push(source.bytesBefore(from))
    await readLines(chunks, sink, interrupted, progress, between)
  }
  const parts = starts.map((start, n) => ({ bytes: (starts[n + 1] ?? source.totalBytes) - start }))
  foldNotes(notes, MOST_NAMES)
  return { parts, counts, notes }
}
