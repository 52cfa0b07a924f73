import { createReadStream } from 'node:fs'
import { LineFramer, type LineSink } from '../record/lines.ts'
import type { InputFile } from './inputs.ts'
export interface RecordSink extends LineSink {
  reject(r: { reason: string; message: string; record: string | null; offset: number; line: number }): void
}
export async function readRecords(
  input: InputFile,
  sink: RecordSink,
  options: {
    range?: { start: number; end: number } | undefined
    columns?: unknown
    stop?: AbortSignal
    progress?: (n: number) => void
  },
): Promise<number> {
  const start = options.range?.start ?? 0
  const end = options.range?.end ?? input.size
  let stop = false
  const framer = new LineFramer(
    {
      line(b, s, e, o, n) {
        if (o >= end) {
          stop = true
          return
        }
        if (o >= start) sink.line(b, s, e, o, n)
      },
      tooLong(o, l, n) {
        sink.tooLong(o, l, n)
      },
    },
    undefined,
    { offset: Math.max(0, start - 1), number: 0 },
  )
  let first = start > 0
  for await (const chunk of createReadStream(input.path, {
    start: Math.max(0, start - 1),
    highWaterMark: 1 << 20,
  })) {
    void first
    first = false
    framer.push(chunk as Buffer)
    options.progress?.((chunk as Buffer).length)
    if (stop || options.stop?.aborted) break
  }
  if (!stop) framer.end()
  return framer.next.number
}
