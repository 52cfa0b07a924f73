import { createHash } from 'node:crypto'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { LineFramer } from '../record/lines.ts'
import { KIB } from '../text/units.ts'
import type { EventsManifest } from './manifest.ts'
import { count, day } from './manifest-shapes.ts'
import { ARRIVAL } from './name.ts'
import type { Store } from './store.ts'

/*
 * arrival.ndjson: which events should be in the service, as fingerprints (record/fingerprint.ts) over distinct
 * (uuid, distinct_id).
 *
 *     {"version":1,"rules":"mixpanel 1.1","import_ids":["…"]}
 *     {"day":"2024-03-01","event":"$pageview","count":2,"xor":["…","…"],"sum":["…","…"],"times":"…"}
 *
 * `times` is of the same events' times, to the microsecond; datasets of earlier versions have none. A line a UTC day and event name, sorted by both. A day with too many names has one line for all of them:
 * `"event":null,"names":12345`, where `names` counts those that were told apart.
 */

const half = z.string().regex(/^\d{1,20}$/)
const halves = z.tuple([half, half])

const headerSchema = z.strictObject({
  version: z.literal(1),
  rules: z.string(),
  import_ids: z.array(z.string()).nullable(),
})

export const cellSchema = z.strictObject({
  day,
  event: z.string().nullable(),
  names: count.optional(),
  count,
  xor: halves,
  sum: halves,
  times: half.optional(),
})

export type ArrivalHeader = z.infer<typeof headerSchema>

/** The events of a UTC day and a name; `event` is null for all events of a day with too many names. */
export type ArrivalCell = z.infer<typeof cellSchema>

/** Characters that are written at once. */
const CHUNK = 64 * KIB

/** Writes the file of a dataset's cells; the manifest names what is returned. */
export async function writeArrival(
  store: Store,
  header: ArrivalHeader,
  cells: Iterable<ArrivalCell> | AsyncIterable<ArrivalCell>,
): Promise<NonNullable<EventsManifest['arrival']>> {
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

/**
 * Reads a dataset's cells in order, some at a time: there may be millions. Code `input` for a file that is not the one that
 * the manifest names. That is known only at its end: nothing may be said of the cells before.
 */
export async function* readArrival(
  store: Store,
  { arrival }: Pick<EventsManifest, 'arrival'>,
): AsyncGenerator<readonly ArrivalCell[]> {
  if (!arrival) return
  const { file, sha256 } = arrival
  const hash = createHash('sha256')
  let cells: ArrivalCell[] = []
  const damaged = (why: string, cause?: unknown) =>
    new PosthaulError(`${store.address(file)} is not what the manifest names: ${why}`, {
      code: 'input',
      hint: 'make the dataset anew with the command that made it',
      cause,
    })
  const framer = new LineFramer({
    line(bytes, start, end, _offset, line) {
      try {
        const value: unknown = JSON.parse(bytes.toString('utf8', start, end))
        if (line === 1) headerSchema.parse(value)
        else cells.push(cellSchema.parse(value))
      } catch (cause) {
        throw damaged(`line ${line} can't be read`, cause)
      }
    },
    tooLong(_offset, _length, line) {
      throw damaged(`line ${line} is too long`)
    },
  })
  const taken = () => {
    const some = cells
    cells = []
    return some
  }
  for await (const chunk of store.read(file)) {
    hash.update(chunk)
    framer.push(chunk)
    yield taken()
  }
  framer.end()
  yield taken()
  if (hash.digest('hex') !== sha256) throw damaged('its sha256 is another')
}
