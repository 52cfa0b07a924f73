import { type IdDraft, type IdView, type RecordView, Rejection } from '../../mapping/preset.ts'
import { Id } from '../../record/id.ts'
import { KIND } from '../../record/tape.ts'
import { isProfile, profileSender } from './profile.ts'

/** An id that a device made for itself; the service knows no such prefix. */
const DEVICE_PREFIX = Buffer.from('$device:')

/** What Mixpanel's libraries generate: a UUID, or five groups of hexadecimal digits of any length. */
const GENERATED = /^[0-9a-f]{8,}(?:-[0-9a-f]+){4}$/i

/** Whose the event is. */
export function distinctId(record: IdView): Id | string | undefined {
  if (isProfile(record)) return profileSender(record)
  const event = record.text('event')
  if (event === '$merge') return mergedIds(record)[0]
  const identified = event === '$identify' ? record.id('identified_id') : undefined
  if (identified !== undefined) return identified
  const id = record.id('distinct_id')
  const before = idBefore(record)
  if (before !== undefined && (id === undefined || isDeviceMade(id.text))) return bareId(before)
  const found = id ?? record.id('user_id') ?? record.id('device_id')
  return found && bareId(found)
}

/** The anonymous id that the record shows beside a user. */
export function anonymousId(record: IdView): Id | string | undefined {
  const event = record.text('event')
  if (event === '$create_alias' || event === '$merge') return undefined
  const before = event === '$identify' ? idBeforeIdentify(record) : undefined
  if (before !== undefined) return withoutPrefix(before)
  const device = record.id('device_id')
  const id = device === undefined ? joinedDevice(record) : isDeviceId(device, record) ? device : undefined
  return id && bareId(id)
}

/** The user of a device whose event belongs to the device itself. */
export function userId(record: IdView): Id | undefined {
  return record.id('user_id')
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

/** Whose sessions the record's session is among. */
export function sessionOwner(record: IdView, draft: IdDraft): Id {
  return bareId(record.id('device_id') ?? draft.id)
}

/** The id without the prefix, which was written twice where an export was imported again: it is one device all the same. */
function bareId(id: Id): Id {
  const bare = id.without(DEVICE_PREFIX)
  return bare === id ? id : bareId(bare)
}

export function withoutPrefix(id: string): string {
  return bareId(Id.ofText(id)).text
}

/** The id that the event was sent with, where Mixpanel wrote another in its place. The service's importer reads text only. */
function idBefore(record: IdView): Id | undefined {
  return record.kind('before_identity') === KIND.string ? record.id('before_identity') : undefined
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
 * True for the id of a device. An older library made it of the distinct_id that was in the cookie, which may be a user's:
 * then only an id that looks generated is a device's.
 */
function isDeviceId(id: Id, record: RecordView): boolean {
  return record.text('had_persisted') !== 'true' || GENERATED.test(bareId(id).text)
}

/** The device of a user whom Mixpanel joined with it: one of the two ids is said to stand for the other. */
function joinedDevice(record: IdView): Id | undefined {
  const before = idBefore(record)
  if (before === undefined) return undefined
  const devices = [record.id('distinct_id'), before].filter((id) => id !== undefined && isOfDevice(id.text))
  return devices.length === 1 ? devices[0] : undefined
}

function isOfDevice(id: string): boolean {
  return withoutPrefix(id) !== id
}

/** `$device:` ids, and the upper-case UUIDs of the old iOS library. */
function isDeviceMade(id: string): boolean {
  return isOfDevice(id) || (/^[A-Z0-9-]+$/.test(id) && /[A-Z]/.test(id))
}
