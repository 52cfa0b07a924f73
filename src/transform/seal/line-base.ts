const LF = 0x0a
const COMMA = 0x2c
const START = '{"line":'

/**
 * Adds `base` to the line number of each reject of a rejects file, and leaves all other bytes as they are. A reject
 * can be as long as a line of the input, so it is never held whole.
 */
export async function* withLineBase(chunks: AsyncIterable<Buffer>, base: number): AsyncGenerator<Buffer> {
  if (base === 0) {
    yield* chunks
    return
  }
  /** The first bytes of a reject whose number has not come to its end. */
  let held: Buffer = Buffer.alloc(0)
  let inside = false
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    held = Buffer.alloc(0)
    const out: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      if (!inside) {
        const end = bytes.indexOf(COMMA, at)
        if (end === -1) {
          held = bytes.subarray(at)
          break
        }
        const line = Number(bytes.toString('latin1', at + START.length, end)) + base
        out.push(Buffer.from(`${START}${line}`))
        at = end
      }
      const end = bytes.indexOf(LF, at)
      inside = end === -1
      const next = inside ? bytes.length : end + 1
      out.push(bytes.subarray(at, next))
      at = next
    }
    yield Buffer.concat(out)
  }
  if (held.length > 0) yield held
}

/** The rejects of a unit, whose lines are numbered within it. */
export interface UnitRejects {
  /** The number of the unit's input: units of one input follow each other. */
  readonly input: number
  /** Line ends in the unit. */
  readonly lines: number
  readonly chunks: AsyncIterable<Buffer>
}

/** The rejects of units in input order, their lines numbered through each input. */
export async function* numbered(
  units: Iterable<UnitRejects> | AsyncIterable<UnitRejects>,
): AsyncGenerator<Buffer> {
  let [before, last] = [0, -1]
  for await (const { input, lines, chunks } of units) {
    if (input !== last) before = 0
    last = input
    yield* withLineBase(chunks, before)
    before += lines
  }
}
