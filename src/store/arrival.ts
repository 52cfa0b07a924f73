import { createHash } from 'node:crypto'
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { Fingerprint } from '../record/fingerprint.ts'
import { LineFramer } from '../record/lines.ts'
import type { EventsManifest } from './manifest.ts'
import { count, day } from './manifest-shapes.ts'
import type { Store } from './store.ts'

/*
 * arrival.ndjson: which events should be in the service, as fingerprints (record/fingerprint.ts) over distinct
 * (uuid, distinct_id).
 *
 *     {"version":1,"rules":"mixpanel 1.1","import_ids":["…"]}
 *     {"day":"2024-03-01","event":"$pageview","count":2,"xor":["…","…"],"sum":["…","…"]}
 *
 * A line a UTC day and event name, sorted by both. A day with too many names has one line for all of them:
 * `"event":null,"names":12345`, where `names` counts those that were told apart.
 */
export const ARRIVAL = 'arrival.ndjson'

/** A day with more names than this is proven whole. */
export const MOST_CELLS_A_DAY = 10_000

const halves = z.tuple([z.string().regex(/^\d{1,20}$/), z.string().regex(/^\d{1,20}$/)])

const headerSchema = z.strictObject({
  version: z.literal(1),
  rules: z.string(),
  import_ids: z.array(z.string()).nullable(),
})

const cellSchema = z.strictObject({
  day,
  event: z.string().nullable(),
  names: count.optional(),
  count,
  xor: halves,
  sum: halves,
})

export type ArrivalHeader = z.infer<typeof headerSchema>

/** The events of a UTC day and a name; `event` is null for all events of a day with too many names. */
export type ArrivalCell = z.infer<typeof cellSchema>

/** A cell of these events. */
export function cellOf(day: string, event: string, { count, text }: Fingerprint): ArrivalCell {
  return { day, event, count, ...text }
}

/** The fingerprint that a cell holds. */
export function fingerprintOf({ count, xor, sum }: ArrivalCell): Fingerprint {
  return Fingerprint.of(count, { xor, sum })
}

/** Writes the file of a dataset's cells; the manifest names what is returned. */
export async function writeArrival(
  store: Store,
  header: ArrivalHeader,
  cells: Iterable<ArrivalCell>,
): Promise<NonNullable<EventsManifest['arrival']>> {
  let lines = 0
  async function* text(): AsyncGenerator<Buffer> {
    for (const line of [header, ...cells]) {
      lines++
      yield Buffer.from(`${JSON.stringify(line)}\n`)
    }
  }
  const { bytes, sha256 } = await store.put(ARRIVAL, text())
  return { file: ARRIVAL, bytes, sha256, lines }
}

/** Reads a dataset's cells in order. Code `input` for a file that is not the one that the manifest names. */
export async function readArrival(store: Store, manifest: EventsManifest): Promise<readonly ArrivalCell[]> {
  if (!manifest.arrival) return []
  const { file, sha256 } = manifest.arrival
  const hash = createHash('sha256')
  const cells: ArrivalCell[] = []
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
  for await (const chunk of store.read(file)) {
    hash.update(chunk)
    framer.push(chunk)
  }
  framer.end()
  if (hash.digest('hex') !== sha256) throw damaged('its sha256 is another')
  return cells
}
