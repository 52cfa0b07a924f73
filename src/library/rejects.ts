import { openState, type StatePlace } from '../imports/state-place.ts'
import { LineFramer } from '../record/lines.ts'
import { parseReject, type Reject } from '../record/reject.ts'

/** The rejects of an import, in the order in which they were settled. Each iteration reads their file anew. */
export class Rejects implements AsyncIterable<Reject> {
  /** The address of their file; it is there once there is a reject. */
  readonly path: string
  readonly count: number
  readonly #place: StatePlace

  /** @internal */
  constructor(place: StatePlace, path: string, count: number) {
    this.#place = place
    this.path = path
    this.count = count
  }

  /** Rejects that the user has moved away to mend them are not among these. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Reject> {
    const state = await openState(this.#place)
    const loaded = await state.load()
    if (!loaded) return
    const found: Reject[] = []
    const framer = new LineFramer(
      {
        line(bytes, start, end) {
          const reject = parseReject(bytes, start, end)
          if (reject) found.push(reject)
        },
        tooLong() {},
      },
      Number.MAX_SAFE_INTEGER,
    )
    for await (const chunk of state.rejects.read(loaded.state.rejects)) {
      framer.push(chunk)
      yield* found.splice(0)
    }
    framer.end()
    yield* found
  }
}
