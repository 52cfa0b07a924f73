import type { Batch, Envelope } from '../../src/delivery/batch.ts'
import { Batcher } from '../../src/delivery/batcher.ts'
import { START } from '../../src/delivery/place.ts'

/** One batch of these events. `envelope`: by it they are lines, or have the form of Capture V1. */
export function batchOfLines(lines: readonly string[], envelope: Envelope): Batch {
  const closed: Batch[] = []
  const limits = { events: 10_000, bytes: 1e9 }
  const options = { lanes: 1, limits, envelope, youngFrom: Number.POSITIVE_INFINITY }
  const batcher = new Batcher(options, (batch) => closed.push(batch))
  for (const [n, line] of lines.entries()) {
    const bytes = Buffer.from(line)
    const source = { offset: n * 10, line: n + 1, file: undefined, record: undefined }
    batcher.event(0, START, { head: { instant: 1 }, bytes, start: 0, end: bytes.length, source })
  }
  batcher.flush()
  return closed[0]!
}
