import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

// Shares no code with posthaul on purpose: it is a second opinion on what an event is.
export const MIXPANEL = Buffer.from('706f7374686f675f6d697870616e656c', 'hex')
const EVENTS: Readonly<Record<string, string>> = {
  $mp_web_page_view: '$pageview',
  '[Amplitude] Page Viewed': '$pageview',
}

type Json = Record<string, unknown>

/** Reads the (uuid, event, timestamp) of a line of each form; undefined for lines that are no record. */
const IDENTITY: Readonly<Record<string, (line: Json) => string | undefined>> = {
  // Links are what posthaul makes beside the events of a history.
  events: ({ uuid, event, timestamp, properties }) => {
    const isLink = event === '$identify' && (properties as Json).$anon_distinct_id !== undefined
    return isLink || event === '$groupidentify' ? undefined : identity(uuid, event, timestamp)
  },
  mixpanel: ({ event, properties }) => {
    const { $insert_id, time } = properties as { $insert_id: string; time: number }
    return identity(uuidV5(MIXPANEL, $insert_id), event, time * 1000)
  },
  amplitude: ({ uuid, event_type, event_time }) => identity(uuid, event_type, `${event_time}Z`),
  'mixpanel-import': ({ event, properties }) => {
    const { time, uuid } = properties as { time: number; uuid: string }
    return identity(uuid, event, time)
  },
  // Rows without an id: what makes their uuids is not compared.
  csv: ({ timestamp, event, distinct_id }) => identity(distinct_id, event, `${timestamp}Z`),
  rows: ({ timestamp, event, distinct_id }) => identity(distinct_id, event, timestamp),
}

/** The id, the event's name in the service, and the instant in milliseconds. */
function identity(id: unknown, event: unknown, time: unknown): string {
  return `${id} ${EVENTS[event as string] ?? event} ${new Date(time as string | number).getTime()}`
}

/** Every event of a file or of the `.ndjson` files of a folder, as a set of 64-bit hashes. */
export async function digestOf(path: string, form: string): Promise<Set<bigint>> {
  const isFolder = (await stat(path)).isDirectory()
  const files = isFolder
    ? (await readdir(path)).filter((name) => /^\d.*\.ndjson$/.test(name)).map((name) => join(path, name))
    : [path]
  const found = new Set<bigint>()
  const identify = IDENTITY[form]!
  for (const file of files) {
    for await (const line of createInterface({ input: createReadStream(file) })) {
      const text = identify(JSON.parse(line) as Json)
      if (text !== undefined) found.add(hash(text))
    }
  }
  return found
}

/** Throws if the two sets differ: a contender that does other work must not be compared. */
export function sameSets(what: string, expected: ReadonlySet<unknown>, found: ReadonlySet<unknown>): void {
  const missing = [...expected].filter((one) => !found.has(one)).length
  const extra = [...found].filter((one) => !expected.has(one)).length
  if (missing + extra > 0 || expected.size === 0) {
    throw new Error(`${what}: ${missing} events of ${expected.size} are missing, ${extra} are too many`)
  }
}

function hash(text: string): bigint {
  return createHash('sha1').update(text).digest().readBigUInt64LE(0)
}

export function uuidV5(namespace: Buffer, name: string): string {
  const digest = createHash('sha1').update(namespace).update(name).digest()
  digest[6] = (digest[6]! & 0x0f) | 0x50
  digest[8] = (digest[8]! & 0x3f) | 0x80
  return digest.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
