import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ErrorCode, ofOtherVersion, PosthaulError } from '../errors.ts'
import { LineFramer } from '../record/lines.ts'
import { objectOrEmpty, parsedOrNone } from '../text/json.ts'
import { KIB } from '../text/units.ts'
import { countShape, day, type EventsManifest } from './manifest.ts'
import { ARRIVAL, REMAKE } from './name.ts'
import type { Store } from './store.ts'

interface LinesPieceSpec {
  /** What the file is: each has a name of its own. */
  readonly name: string
  readonly code: ErrorCode
  /** What is wrong with one that is not whole: ` is not what the manifest names`. */
  readonly wrong: string
  readonly hint: string
}

const LINES_VERSION = 1

/** A file of JSON lines that is written once, as a whole. The first has its version. */
export class LinesPiece {
  readonly name: string
  readonly #spec: LinesPieceSpec

  constructor(spec: LinesPieceSpec) {
    this.name = spec.name
    this.#spec = spec
  }

  /**
   * Reads the lines in order, some at a time: there may be millions. `parse` is given each with its number, from 1, and
   * returns undefined for one that is left out. Throws for a line that can't be read, and at the end for a file that has not
   * the sha256 that is named: nothing may be said of the lines before.
   */
  async *read<T>(
    store: Store,
    { file, sha256 }: { readonly file: string; readonly sha256?: string },
    parse: (value: unknown, line: number) => T | undefined,
  ): AsyncGenerator<readonly T[]> {
    const { code, wrong, hint } = this.#spec
    const damaged = (why: string, cause?: unknown) =>
      new PosthaulError(`${store.address(file)}${wrong}: ${why}`, { code, hint, cause })
    const parsed = (text: string, line: number): T | undefined => {
      try {
        return parse(JSON.parse(text), line)
      } catch (cause) {
        if (line === 1 && isOtherVersion(text))
          throw ofOtherVersion(store.address(file), code, `, or ${hint}`)
        throw damaged(`line ${line} can't be read`, cause)
      }
    }
    const hash = createHash('sha256')
    const some: T[] = []
    const taken = () => some.splice(0)
    const framer = new LineFramer({
      line(bytes, start, end, _offset, line) {
        const value = parsed(bytes.toString('utf8', start, end), line)
        if (value !== undefined) some.push(value)
      },
      tooLong(_offset, _length, line) {
        throw damaged(`line ${line} is too long`)
      },
    })
    for await (const chunk of store.read(file)) {
      hash.update(chunk)
      framer.push(chunk)
      yield taken()
    }
    framer.end()
    yield taken()
    if (sha256 !== undefined && hash.digest('hex') !== sha256) throw damaged('its sha256 is another')
  }
}

function isOtherVersion(header: string): boolean {
  const { version } = objectOrEmpty(parsedOrNone(header))
  return typeof version === 'number' && version !== LINES_VERSION
}

/*
 * arrival.ndjson: which events should be in the service, as fingerprints (record/fingerprint.ts).
 *
 *     {"version":1,"rules":"mixpanel 1.1","import_ids":["…"]}
 *     {"day":"2024-03-01","event":"$pageview","count":2,"xor":["…","…","…"],"sum":["…","…","…"]}
 *
 * A line a UTC day and event name, sorted by both. A day with too
 * many names has one line for all of them: `"event":null,"names":12345`, where `names` counts those that were told apart.
 */

const print = z.string().regex(/^\d{1,20}$/)
const prints = z.tuple([print, print, print])

const headerSchema = z.strictObject({
  version: z.literal(1),
  rules: z.string(),
  import_ids: z.array(z.string()).nullable(),
})

export const cellSchema = z.strictObject({
  day,
  event: z.string().nullable(),
  names: countShape.optional(),
  count: countShape,
  xor: prints,
  sum: prints,
})

/** The events of a UTC day and a name; `event` is null for all events of a day with too many names. */
export type ArrivalCell = z.infer<typeof cellSchema>

/** Characters that are written at once. */
const CHUNK = 64 * KIB

/** Writes the file of a dataset's cells; the manifest names what is returned. */
export async function writeArrival(
  store: Store,
  header: z.infer<typeof headerSchema>,
  cells: Iterable<ArrivalCell> | AsyncIterable<ArrivalCell>,
): Promise<EventsManifest['arrival']> {
  let lines = 0
  async function* text(): AsyncGenerator<Buffer> {
    let held = `${JSON.stringify(header)}\n`
    lines++
    for await (const cell of cells) {
      held += `${JSON.stringify(cell)}\n`
      lines++
      if (held.length < CHUNK) continue
      yield Buffer.from(held)
      held = ''
    }
    yield Buffer.from(held)
  }
  const { bytes, sha256 } = await store.put(ARRIVAL, text())
  return { file: ARRIVAL, bytes, sha256, lines }
}

export const ARRIVAL_LINES = new LinesPiece({
  name: 'arrival',
  code: 'input',
  wrong: ' is not what the manifest names',
  hint: REMAKE,
})

/** Reads a dataset's cells in order. Code `input` for a file that is not the one that the manifest names. */
export async function* readArrival(
  store: Store,
  { arrival }: Pick<EventsManifest, 'arrival'>,
): AsyncGenerator<readonly ArrivalCell[]> {
  yield* ARRIVAL_LINES.read(store, arrival, (value, line) => {
    if (line > 1) return cellSchema.parse(value)
    headerSchema.parse(value)
    return undefined
  })
}
