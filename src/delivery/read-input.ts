import { LineFramer, MAX_LINE_BYTES } from '../record/lines.ts'
import type { Batcher } from './batcher.ts'
import type { InputSource } from './event-source.ts'
import type { Intake } from './intake.ts'
import type { Lanes } from './lanes.ts'

export interface ReadOptions {
  readonly source: InputSource
  readonly intake: Intake
  readonly batcher: Batcher
  readonly lanes: Lanes
  readonly halt: AbortSignal
  /** Called now and then, as reading goes on. */
  readonly look?: () => void
}

/** Reads the input into the lanes, no faster than they empty; until its end, the volume cap, or `halt`. */
export async function readInput({ source, intake, batcher, lanes, halt, look }: ReadOptions): Promise<void> {
  try {
    for await (const { from, file, chunks, next } of source.pieces(intake.frontier)) {
      const framer = new LineFramer(intake, MAX_LINE_BYTES, { offset: from.offset, number: from.line })
      intake.begin(from.part, file)
      for await (const chunk of chunks) {
        framer.push(chunk)
        intake.advance(framer.next)
        look?.()
        if (intake.capped) return
        await lanes.room()
        if (halt.aborted) return
      }
      if (!next && framer.torn) intake.beginTail()
      framer.end()
      if (intake.capped) return
      if (next) intake.frontier = next
      else intake.advance(framer.next)
    }
  } finally {
    // After a fault of the input too: what was read before it is sound, and goes out.
    batcher.flush()
    lanes.close()
  }
}
