import type { Mapped } from '../../mapping/mapped.ts'
import { countOne } from '../../record/notes.ts'
import type { Engine } from '../../transform/engine.ts'
import { type EventSink, ExplodingSink } from '../../transform/exploding-sink.ts'

/** Takes what records are cut into: the record itself, or each child of it. */
export interface ItemSink {
  /** The bytes are valid during the call. `child` is its place in the record, from 1; null for a whole record. */
  item(bytes: Buffer, start: number, end: number, child: number | null): Mapped['status']
  /** A record, or a child, that can't be mapped. */
  none(outcome: 'rejected' | 'filtered', reason: string, message: string | null, child: number | null): void
}

/** Cuts records into what can become events, as a transform does. */
export class RecordCutter {
  readonly #sink: Pick<EventSink, 'line'>

  constructor({ exploder, mapper }: Pick<Engine, 'exploder' | 'mapper'>, sink: ItemSink) {
    const items: EventSink = {
      line: (bytes, start, end, _offset, _line, child) => sink.item(bytes, start, end, child ?? null),
      // Records come whole.
      tooLong: () => undefined,
      reject: ({ reason, message, child }) => {
        sink.none('rejected', reason, message, child ?? null)
        return 'rejected'
      },
      leaveOut: (reason) => sink.none('filtered', reason, null, null),
      unusable: (what) => countOne(mapper.notes.unusable, what),
    }
    this.#sink = exploder ? { line: lineOf(new ExplodingSink(exploder, items)) } : items
  }

  cut(record: Buffer): void {
    this.#sink.line(record, 0, record.length, 0, 1)
  }
}

function lineOf(sink: ExplodingSink): EventSink['line'] {
  return (bytes, start, end, offset, line) => {
    sink.line(bytes, start, end, offset, line)
    return 'event'
  }
}
