import type { InputSource } from '../delivery/event-source.ts'
import type { LineReader } from '../delivery/line-reader.ts'
import { START } from '../delivery/place.ts'
import { readHead } from '../record/head.ts'
import { addNotes, emptyNotes, type Notes } from '../record/notes.ts'
import { readLines } from './inspect.ts'
import type { EachLine } from './verify-input.ts'

/** Files of the service's own events, which are read by the rules of an import. */
export interface EventFiles {
  /** Called for each pass over them. */
  readonly open: () => Promise<{ readonly source: InputSource; readonly reader: LineReader }>
  readonly interrupted: AbortSignal
  readonly progress: (bytes: number) => void
}

/** What was found on the way. */
export interface EventPass {
  readonly parts: readonly { readonly bytes: number }[]
  readonly counts: { readonly written: number; readonly rejected: number }
  readonly notes: Notes
}

/** Reads everything once, and calls `each` with every event line that would be sent. */
export async function readEvents(
  { open, interrupted, progress }: EventFiles,
  each: EachLine,
  between?: () => Promise<void>,
): Promise<EventPass> {
  const { source, reader } = await open()
  const counts = { written: 0, rejected: 0 }
  const notes = emptyNotes()
  const sink = {
    line(bytes: Buffer, start: number, end: number, offset: number, number: number) {
      const unsent = reader.read(bytes, start, end, offset, number)
      const found = reader.takeNotes()
      if (found) addNotes(notes, found)
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
  for await (const { file, from, chunks } of source.pieces(START)) {
    reader.begin(file)
    starts.push(source.bytesBefore(from))
    await readLines(chunks, sink, interrupted, progress, between)
  }
  const parts = starts.map((start, n) => ({ bytes: (starts[n + 1] ?? source.totalBytes) - start }))
  return { parts, counts, notes }
}
