import { PosthaulError } from '../errors.ts'
import { type CallOptions, hostOf } from '../host.ts'
import { untilAborted } from '../http/clock.ts'
import { explodedPreset } from '../mapping/explode.ts'
import { type Mapping, NO_MAPPING } from '../mapping/mapping.ts'
import { type MappingFile, parseMapping } from '../mapping/mapping-file.ts'
import type { MappingObject } from '../mapping/mapping-schema.ts'
import { enginePreset, type OwnPreset } from '../mapping/own-preset.ts'
import { assertKeysRead, groupTypeOf, importIdOf, switchesOf } from '../mapping/preset.ts'
import { readSecret } from '../options/read-secret.ts'
import { namePreset, presetOf } from '../pipeline/preset-of.ts'
import { type Counts, conserved, zeroCounts } from '../record/counts.ts'
import { headId, headName, headUuid, readHead } from '../record/head.ts'
import type { Notes } from '../record/notes.ts'
import { formatInstant } from '../record/time.ts'
import { MICROS_PER_MS } from '../text/units.ts'
import { HASH_KEY, hashKeyFrom } from '../transform/hash-key.ts'
import { RecordMapping, type RecordReject } from '../transform/record-mapping.ts'
import { jsonTextOf } from './json-text.ts'

/** A record of the source: its JSON as text or bytes, which keeps every value as written, or an object. */
export type SourceRecord = string | Uint8Array | object

/** How records become events. */
export interface TransformOptions extends Pick<CallOptions, 'signal' | 'env'> {
  /** A name such as `mixpanel`, the path of a file, or a preset of `definePreset`. Default: as the mapping says. */
  readonly preset?: string | OwnPreset | undefined
  /** What is added to the preset: the path of a mapping file, or what such a file holds. */
  readonly map?: string | MappingObject | undefined
  /** The zone of the source's wall clock, such as `Europe/Berlin`. */
  readonly sourceTimezone?: string | undefined
  /** Switches of the preset. */
  readonly with?: readonly string[] | undefined
  /** The value of `$import_job_id`; false for none. */
  readonly importId?: string | false | undefined
  /** Told of each record that can't become an event. */
  readonly onReject?: ((reject: RecordReject) => void) | undefined
}

const OPTIONS = ['preset', 'map', 'sourceTimezone', 'with', 'importId', 'onReject', 'signal', 'env']

/** An event in the service's form. */
export class TransformedEvent {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** UTC with microseconds: `2024-03-01T12:34:56.789123Z`. */
  readonly timestamp: string
  /** The event as one line of JSON, without a line end: every value as the source wrote it. */
  readonly line: string
  /** True for an `$identify` or group event that no record is, and that records show. */
  readonly generated: boolean

  constructor(line: string, generated: boolean) {
    const bytes = Buffer.from(line)
    const head = readHead(bytes, 0, bytes.length)
    if (!head) throw new Error('a mapped line is not an event line')
    this.uuid = headUuid(bytes, 0)
    this.event = headName(bytes, head)
    this.distinctId = headId(bytes, head)
    this.timestamp = formatInstant(head.instant)
    this.line = line
    this.generated = generated
  }

  /** Parsed anew at each call. JavaScript's numbers lose digits that `line` has. */
  get properties(): Record<string, unknown> {
    return (JSON.parse(this.line) as { properties: Record<string, unknown> }).properties
  }
}

/** Events as they are made of records, and what became of all of them. It can be iterated once. */
export interface Transformation extends AsyncIterable<TransformedEvent> {
  /** Where each record is so far: `read` is the sum of the others; `generated` comes on top. */
  readonly counts: Counts & { readonly generated: number }
  readonly conserved: boolean
  /** Rejects by reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** Records left out on purpose, by reason. */
  readonly filtered: Readonly<Record<string, number>>
  /** What was mended or noticed; undefined before the first event is asked for. */
  readonly notes: Notes | undefined
}

/**
 * Makes events of records, one after another, by the rules of `posthaul transform`: same names, same ids, same bytes. At the end
 * come the `$identify` and group events that all records together show. Unlike a dataset they are not sorted, and an event
 * that comes twice is made twice, with one uuid. Iterating rejects with a PosthaulError: a wrong preset, `interrupted`.
 */
export function transform(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  options: TransformOptions,
): Transformation {
  const other = Object.keys(options).find((name) => !OPTIONS.includes(name))
  if (other !== undefined) throw new PosthaulError(`${other} is no option`, { code: 'usage' })
  if (typeof records === 'string')
    throw new PosthaulError('the records are one text: give a list of them', { code: 'usage' })
  return new RecordStream(records, options)
}

class RecordStream implements Transformation {
  readonly #records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>
  readonly #options: TransformOptions
  #mapping: RecordMapping | undefined
  #isBegun = false

  constructor(records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>, options: TransformOptions) {
    this.#records = records
    this.#options = options
  }

  get counts(): Counts & { readonly generated: number } {
    return { ...(this.#mapping?.counts ?? { ...zeroCounts(), generated: 0 }) }
  }

  get conserved(): boolean {
    return conserved(this.counts)
  }

  get reasons(): Readonly<Record<string, number>> {
    return { ...this.#mapping?.reasons }
  }

  get filtered(): Readonly<Record<string, number>> {
    return { ...this.#mapping?.filtered }
  }

  get notes(): Notes | undefined {
    return this.#mapping?.notes
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TransformedEvent> {
    if (this.#isBegun) throw new PosthaulError('these records were read already', { code: 'usage' })
    this.#isBegun = true
    const mapping = await mappingOf(this.#options)
    this.#mapping = mapping
    let number = 0
    for await (const record of abortable(this.#records, this.#options.signal)) {
      for (const { line } of mapping.take(bytesOf(record, ++number), number))
        yield new TransformedEvent(line, false)
    }
    for (const { line } of mapping.end()) yield new TransformedEvent(line, true)
  }
}

function bytesOf(record: SourceRecord, number: number): Buffer {
  if (typeof record === 'string') return Buffer.from(record)
  if (record instanceof Uint8Array) return Buffer.from(record.buffer, record.byteOffset, record.byteLength)
  return Buffer.from(jsonTextOf(record, `record ${number}`))
}

/** The records, until the signal aborts: also while one is waited for. */
async function* abortable(
  records: AsyncIterable<SourceRecord> | Iterable<SourceRecord>,
  signal: AbortSignal | undefined,
): AsyncGenerator<SourceRecord> {
  if (!signal) return yield* records
  const iterator =
    Symbol.asyncIterator in records ? records[Symbol.asyncIterator]() : records[Symbol.iterator]()
  try {
    for (;;) {
      const next = await untilAborted(Promise.resolve(iterator.next()), signal)
      if (!next || signal.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
      if (next.done) return
      yield next.value
    }
  } finally {
    // A source that hangs is not waited for.
    void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

async function mappingOf(options: TransformOptions): Promise<RecordMapping> {
  const { map, onReject = () => undefined, importId, env = {} } = options
  const file = map === undefined ? undefined : await mappingFileOf(map)
  if (file?.forget !== undefined) {
    throw new PosthaulError('forget needs all records before the first event', {
      code: 'usage',
      hint: 'transformDataset can leave people out',
    })
  }
  const given = options.preset ?? file?.preset ?? (file ? 'events' : undefined)
  if (given === undefined)
    throw new PosthaulError('preset is missing: name what the records are', { code: 'usage' })
  const name = typeof given === 'string' ? given : given.vendor
  const base = file?.mapping ?? NO_MAPPING
  const own =
    typeof given === 'string' ? presetOf(await namePreset(given)) : enginePreset(given, 'the preset')
  const preset = explodedPreset(await own, base.explode, base.explodeWith)
  assertKeysRead(base, name, preset)
  groupTypeOf(base.groupType, name, preset)
  const mapping: Mapping = { ...base, sourceTimezone: options.sourceTimezone ?? base.sourceTimezone }
  const secret = mapping.hash.length > 0 && (await readSecret({ variable: HASH_KEY }, env, hostOf({}).stdin))
  return new RecordMapping({
    preset,
    mapping,
    switches: switchesOf(options.with ?? [], name, preset),
    importId: importId === false ? null : (importId ?? importIdOf(preset)),
    ...(mapping.hash.length > 0 && { hashKey: hashKeyFrom(secret || undefined).text }),
    now: Date.now() * MICROS_PER_MS,
    rejected: onReject,
  })
}

async function mappingFileOf(map: string | object): Promise<Omit<MappingFile, 'sha256'>> {
  if (typeof map !== 'string') return parseMapping(jsonTextOf(map, 'map'), 'map')
  const { loadMapping } = await import('../transform/load-mapping.ts')
  return loadMapping(map)
}
