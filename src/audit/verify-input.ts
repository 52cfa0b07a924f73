import { createHash } from 'node:crypto'
import { PosthaulError } from '../errors.ts'
import { Fingerprint } from '../record/fingerprint.ts'
import { type Head, newHead, readHead } from '../record/head.ts'
import { LineFramer } from '../record/lines.ts'
import { fingerprintOf, readArrival } from '../store/arrival.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { gunzip } from '../store/gunzip.ts'
import type { EventPart, EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'

/** The events of a UTC day and a name in an input; `event` is null for all events of a day. */
export interface InputCell {
  readonly day: string
  readonly event: string | null
  readonly events: Fingerprint
}

/** Called with each event line and its head; both are valid until it returns. */
export type EachLine = (line: Buffer, head: Head) => void

/** A dataset, or files, whose events should be in the service. */
export interface VerifyInput {
  /** The dataset, or the files, as the user named them. */
  readonly paths: readonly string[]
  readonly cells: readonly InputCell[]
  /** The cells have fingerprints. Those of a dataset of manifest version 1 have only counts. */
  readonly exact: boolean
  /** The values of `$import_job_id` in its events; null when they can't be told by it. */
  readonly importIds: readonly string[] | null
  /** How many distinct ids there are, roughly; null when they were not counted. */
  readonly distinctIds: number | null
  /** How many of its events name each group type. */
  readonly groupTypes: Readonly<Record<string, number>>
  /** Changes when the events do. */
  readonly sha256: string
  /** Its days can be read one by one. Files are read as a whole. */
  readonly byDay: boolean
  /** Reads the events of these days. `between` is awaited now and then, for work that can't be done within `each`. */
  read(days: ReadonlySet<string>, each: EachLine, between: () => Promise<void>): Promise<void>
}

/** A dataset as an input of `verify`. */
export async function datasetInput(store: Store): Promise<VerifyInput> {
  const manifest = await readEventsManifest(store)
  const { import_ids, distinct_ids, group_types, version_1 } = manifest
  const parts = [...manifest.parts].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
  return {
    paths: [store.location],
    cells: await cellsOf(store, manifest),
    exact: version_1 === undefined,
    importIds: import_ids,
    distinctIds: distinct_ids?.approximate ?? null,
    groupTypes: Object.fromEntries(Object.entries(group_types).map(([type, { events }]) => [type, events])),
    sha256: createHash('sha256')
      .update(parts.map((part) => part.sha256).join())
      .digest('hex'),
    byDay: true,
    async read(days, each, between) {
      for (const part of parts) if (days.has(part.day)) await readPart(store, part, each, between)
    },
  }
}

async function cellsOf(store: Store, manifest: EventsManifest): Promise<InputCell[]> {
  if (!manifest.version_1) {
    const cells = await readArrival(store, manifest)
    return cells.map((cell) => ({ day: cell.day, event: cell.event, events: fingerprintOf(cell) }))
  }
  return Object.entries(manifest.version_1.days).flatMap(([day, names]) =>
    Object.entries(names).map(([event, count]) => {
      const events = new Fingerprint()
      events.count = count
      return { day, event, events }
    }),
  )
}

/** Reads a part. Code `mismatch` if it is not the one that the manifest names. */
async function readPart(
  store: Store,
  part: EventPart,
  each: EachLine,
  between: () => Promise<void>,
): Promise<void> {
  const hash = createHash('sha256')
  async function* hashed(): AsyncGenerator<Buffer> {
    for await (const chunk of store.read(part.file)) {
      hash.update(chunk)
      yield chunk
    }
  }
  const damaged = (cause?: unknown) =>
    new PosthaulError(`${store.address(part.file)} is not the part that the manifest names`, {
      code: 'mismatch',
      hint: 'make the dataset again with the command that made it',
      cause,
    })
  const head = newHead()
  const framer = new LineFramer({
    line(bytes, start, end) {
      const line = bytes.subarray(start, end)
      if (!readHead(line, 0, line.length, head)) throw damaged()
      each(line, head)
    },
    tooLong() {
      throw damaged()
    },
  })
  for await (const chunk of part.file.endsWith('.gz') ? gunzip(hashed()) : hashed()) {
    framer.push(chunk)
    await between()
  }
  framer.end()
  if (hash.digest('hex') !== part.sha256) throw damaged()
  await between()
}
