import { KIND } from '../../../record/tape.ts'
import { type RecordView, Rejection } from '../../preset.ts'
import { isProfile, profileSender } from './profile.ts'

/** An id that a device made for itself; the service knows no such prefix. */
const DEVICE_PREFIX = '$device:'

/** What Mixpanel's libraries generate: a UUID, or five groups of hexadecimal digits of any length. */
const GENERATED = /^[0-9a-f]{8,}(?:-[0-9a-f]+){4}$/i

/** Whose the event is. */
export function distinctId(record: RecordView): string | undefined {
  if (isProfile(record)) return profileSender(record)
  const event = record.text('event')
  if (event === '$merge') return mergedIds(record)[0]
  if (event === '$identify' && record.text('identified_id') !== undefined) return record.text('identified_id')
  const id = record.text('distinct_id')
  const before = idBefore(record)
  if (before !== undefined && (id === undefined || isDeviceMade(id))) return withoutPrefix(before)
  const found = id ?? record.text('user_id') ?? record.text('device_id')
  return found === undefined ? undefined : withoutPrefix(found)
}

/** The anonymous id that the record shows beside a user. */
export function anonymousId(record: RecordView): string | undefined {
  const event = record.text('event')
  if (event === '$create_alias' || event === '$merge') return undefined
  const before = event === '$identify' ? idBeforeIdentify(record) : undefined
  const id = before ?? (record.text('device_id') === undefined ? joinedDevice(record) : deviceId(record))
  return id === undefined ? undefined : withoutPrefix(id)
}

/** The user of a device whose event belongs to the device itself. */
export function userId(record: RecordView): string | undefined {
  return record.text('user_id')
}

/** The two ids of a `$merge`: the second one's person goes into the first's. */
export function mergedIds(record: RecordView): readonly [string, string] {
  const ids: unknown = JSON.parse(record.json('distinct_ids') ?? 'null')
  const [into, from] = Array.isArray(ids) ? ids : []
  if (typeof into !== 'string' || typeof from !== 'string' || into === '' || from === '') {
    throw new Rejection('distinct_id_missing', 'a $merge record needs two ids in $distinct_ids')
  }
  return [withoutPrefix(into), withoutPrefix(from)]
}

export function withoutPrefix(id: string): string {
  return id.startsWith(DEVICE_PREFIX) ? id.slice(DEVICE_PREFIX.length) : id
}

/** The id that the event was sent with, where Mixpanel wrote another in its place. The service's importer reads text only. */
function idBefore(record: RecordView): string | undefined {
  return record.kind('before_identity') === KIND.string ? record.text('before_identity') : undefined
}

/**
 * Who a user was until they signed in. The browser library also sends it when one user follows another on a device
 * without a reset: then it is the other user, whom nothing may join with this one. A device's id tells the two apart.
 */
function idBeforeIdentify(record: RecordView): string | undefined {
  const given = record.text('anon_id')
  if (given !== undefined) return given
  const before = record.text('anon_distinct_id')
  if (before === undefined) return undefined
  const [id, device] = [withoutPrefix(before), record.text('device_id')]
  const isAnonymous =
    id !== before || device === undefined || id === withoutPrefix(device) || GENERATED.test(id)
  return isAnonymous ? id : undefined
}

/**
 * The device's id. An older library made it of the distinct_id that was in the cookie, which may be a user's: then only
 * an id that looks generated is a device's.
 */
function deviceId(record: RecordView): string | undefined {
  const id = record.text('device_id')
  if (id === undefined || record.text('had_persisted') !== 'true') return id
  return GENERATED.test(withoutPrefix(id)) ? id : undefined
}

/** The device of a user whom Mixpanel joined with it: one of the two ids is said to stand for the other. */
function joinedDevice(record: RecordView): string | undefined {
  const before = idBefore(record)
  if (before === undefined) return undefined
  const devices = [record.text('distinct_id'), before].filter((id) => id?.startsWith(DEVICE_PREFIX))
  return devices.length === 1 ? devices[0] : undefined
}

/** `$device:` ids, and the upper-case UUIDs of the old iOS library. */
function isDeviceMade(id: string): boolean {
  return id.startsWith(DEVICE_PREFIX) || (/^[A-Z0-9-]+$/.test(id) && /[A-Z]/.test(id))
}
