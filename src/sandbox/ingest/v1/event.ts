import { isJsonObject, type JsonObject } from '../../../text/json.ts'
import { type CapturedEvent, MAX_EVENT_BYTES, passedOnBytes, trimBlanks } from '../event.ts'
import { clampFuture, parseRfc3339 } from '../time.ts'
import { parseUuid, uuidText } from '../uuid.ts'
import type { V1Event } from './batch.ts'
import { V1Refusal } from './error.ts'
import type { V1Head } from './head.ts'

const FLAGS = ['cookieless_mode', 'disable_skew_correction', 'process_person_profile'] as const
/** The options of an event that the service knows; each becomes a property. */
type V1Options = Partial<Record<(typeof FLAGS)[number], boolean>> & { product_tour_id?: string }

const BOOLEANS = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }))

/** Reads an event's options as the newest servers do, which take near forms of a boolean. Undefined if they are wrong. */
function readOptions(raw: unknown): V1Options | undefined {
  if (raw === undefined || raw === null) return {}
  if (!isJsonObject(raw)) return undefined
  const options: V1Options = {}
  for (const name of FLAGS) {
    const value = raw[name] ?? undefined
    if (value === undefined) continue
    const flag = asBoolean(value)
    if (flag === undefined) return undefined
    options[name] = flag
  }
  const tour = raw.product_tour_id ?? undefined
  if (tour === undefined) return options
  if (typeof tour !== 'string' && !Number.isInteger(tour)) return undefined
  return { ...options, product_tour_id: String(tour) }
}

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  return typeof value === 'string' ? BOOLEANS.get(value.trim().toLowerCase()) : undefined
}

/** What became of one event of a Capture V1 request. */
export interface V1Outcome {
  /** The event's uuid in lower case with hyphens. */
  readonly uuid: string
  readonly name: string
  /** True for a survey that belongs to a product tour, which another meter counts. */
  readonly result: 'ok' | 'warning' | 'drop' | 'retry'
  readonly details?: string
  /** What to store; undefined for an event that was dropped. */
  readonly event?: CapturedEvent
}

interface V1Context extends V1Head {
  readonly historical: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

const MAX_NAME_BYTES = 200
const MAX_ID_BYTES = 200
const MAX_AI_BYTES = 8 * 1024 * 1024

const ILLEGAL_IDS = new Set(
  (
    '0 00000000-0000-0000-0000-000000000000 anonymous anonymous-user backend distinct_id distinctid email false guest ' +
    'id nan none not_authenticated null system true undefined user'
  ).split(' '),
).add('[object object]')

/** Applies the rules of Capture V1 to each event. V1Refusal for a uuid that is missing, wrong or there twice. */
export function readV1Events(events: readonly V1Event[], context: V1Context): V1Outcome[] {
  const seen = new Set<bigint>()
  const uuids = events.map(({ uuid: text }) => {
    const uuid = readUuid(text)
    if (seen.has(uuid)) throw new V1Refusal('duplicate_event_uuid', `duplicate event uuid: ${text}`)
    seen.add(uuid)
    return uuid
  })
  return events.map((event, at) => readV1Event(event, uuids[at]!, context))
}

function readUuid(text: string): bigint {
  const bare = trimBlanks(text)
  if (bare === '') throw new V1Refusal('missing_event_uuid', 'event submitted without a uuid')
  const uuid = parseUuid(bare)
  if (uuid === undefined) throw new V1Refusal('invalid_event_uuid', `invalid event uuid: ${text}`)
  return uuid
}

function readV1Event(raw: V1Event, uuid: bigint, context: V1Context): V1Outcome {
  const { event: name, properties = {} } = raw
  const id = trimBlanks(raw.distinct_id)
  const time = parseRfc3339(raw.timestamp)
  const options = readOptions(raw.options)
  const base = { uuid: uuidText(uuid), name }
  const drop = (details: string): V1Outcome => ({ ...base, result: 'drop', details })
  const flaw = flawOf(name, id)
  if (flaw) return drop(flaw)
  if (time === undefined) return drop('invalid_event_timestamp')
  if (!isJsonObject(properties)) return drop('malformed_event_properties')
  if (options === undefined) return drop('invalid_options')
  const size = sizeFlaw(raw, properties)
  if (size) return drop(size)
  const { historical, now } = context
  const event: CapturedEvent = {
    uuid,
    event: name.replaceAll('\0', '\ufffd'),
    distinctId: id.replaceAll('\0', '\ufffd'),
    timestamp: skewed(time, options, context),
    properties: withSentinels(properties, raw, options, context),
    historical,
    receivedAt: BigInt(now) * 1000n,
  }
  if (!ILLEGAL_IDS.has(id.toLowerCase())) return { ...base, result: 'ok', event }
  const details = 'person_processing_disabled'
  return { ...base, result: 'ok', details, event: { ...event, personless: true } }
}

function flawOf(name: string, id: string): string | undefined {
  if (name === '$performance_event') return 'dropped_performance_event'
  if (name === '') return 'missing_event_name'
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) return 'event_name_too_long'
  if (id === '') return 'missing_distinct_id'
  return Buffer.byteLength(id) > MAX_ID_BYTES ? 'distinct_id_too_large' : undefined
}

function sizeFlaw(raw: V1Event, properties: JsonObject): string | undefined {
  const bytes = passedOnBytes(raw, properties)
  if (bytes <= MAX_EVENT_BYTES) return undefined
  const isLargeAi =
    raw.event.startsWith('$ai_') && Buffer.byteLength(JSON.stringify(properties)) > MAX_AI_BYTES
  return isLargeAi ? 'ai_event_too_big' : 'event_too_big'
}

/** The time moved by the difference of the clocks, however small, unless the event forbids it. */
function skewed(time: bigint, options: V1Options, { sentAt, now }: V1Context): bigint {
  if (options.disable_skew_correction) return time
  return clampFuture(time - (sentAt - BigInt(now) * 1000n), now)
}

/** The properties with what came beside them; that wins over a property of the same name. */
function withSentinels(properties: JsonObject, raw: V1Event, options: V1Options, context: V1Context) {
  const { lib, sentAt } = context
  const beside = {
    $session_id: raw.session_id ?? undefined,
    $window_id: raw.window_id ?? undefined,
    $cookieless_mode: options.cookieless_mode,
    $ignore_sent_at: options.disable_skew_correction,
    $product_tour_id: options.product_tour_id,
    $process_person_profile: options.process_person_profile,
    $lib: lib?.name,
    $lib_version: lib?.version,
    $sent_at: sentAtText(sentAt),
  }
  const injected = Object.entries(beside).filter(([, value]) => value !== undefined)
  return { ...properties, ...Object.fromEntries(injected) }
}

/** A time in UTC with as many digits as it needs, by threes. */
function sentAtText(micros: bigint): string {
  const millis = micros >= 0n ? micros / 1000n : (micros - 999n) / 1000n
  const fine = micros - millis * 1000n
  const text = new Date(Number(millis)).toISOString()
  if (fine > 0n) return text.replace('Z', `${String(fine).padStart(3, '0')}Z`)
  return text.replace('.000Z', 'Z')
}
