import { seeded } from './random.ts'
import type { AmplitudeEvent } from './vendors/amplitude.ts'
import type { MixpanelEvent } from './vendors/mixpanel.ts'

const DAY = 86_400_000
/** Midnight in New York. Clocks there go forward on 10 March. */
export const SHOP_START = Date.parse('2024-03-01T05:00:00Z')
export const SHOP_DAYS = 31
/** An id that is too long for an event, and good enough for a vendor. */
const TOO_LONG = 'x'.repeat(230)

/** Something that somebody did, before a vendor has a record of it. */
interface Action {
  readonly name: string
  readonly at: number
  readonly device: string
  /** Undefined before signing in. */
  readonly user: string | undefined
  readonly plan: string
  readonly amount: number | undefined
  readonly isReject: boolean
  /** Sent a second time by the library. */
  readonly isTwin: boolean
  readonly n: number
}

const NAMES = ['Page View', 'Page View', 'Page View', 'Search', 'Signed Up', 'Heartbeat', 'Purchase']

/**
 * A month of a shop: people begin as a device and sign in later, 5% of the records can't become events, some are sent twice,
 * the mapping leaves out `Heartbeat` and renames `Signed Up`. The same seed makes the same history of any size.
 */
function actions(records: number, seed: number): Action[] {
  const random = seeded(seed)
  const people = Math.max(20, Math.round(records / 25))
  const signsIn = Array.from({ length: people }, () => SHOP_START + random() * SHOP_DAYS * 1.3 * DAY)
  // More by day than by night, or no count of a day would tell its zone from another.
  const time = () => SHOP_START + Math.floor((Math.floor(random() * SHOP_DAYS) + random() ** 2) * DAY)
  const times = Array.from({ length: records }, time).sort((a, b) => a - b)
  return times.map((at, n): Action => {
    const person = Math.floor(random() * people)
    const name = NAMES[Math.floor(random() * NAMES.length)]!
    return {
      name,
      at,
      device: `device-${person}`,
      user: at >= signsIn[person]! ? `user-${person}` : undefined,
      plan: ['free', 'pro', 'team'][person % 3]!,
      amount: name === 'Purchase' ? 5 + Math.floor(random() * 200) / 4 : undefined,
      isReject: random() < 0.05,
      isTwin: random() < 0.02,
      n,
    }
  })
}

export function shopInMixpanel(records: number, seed: number): MixpanelEvent[] {
  return actions(records, seed).flatMap(({ name, at, device, user, plan, amount, isReject, isTwin, n }) => {
    const id = isReject ? TOO_LONG : (user ?? `$device:${device}`)
    const event: MixpanelEvent = {
      event: name,
      properties: {
        time: at,
        distinct_id: id,
        $insert_id: `insert-${n}`,
        ...(isReject ? {} : { $device_id: device, ...(user !== undefined && { $user_id: user }) }),
        plan,
        ...(amount !== undefined && { amount }),
      },
    }
    return isTwin ? [event, event] : [event]
  })
}

export function shopInAmplitude(records: number, seed: number): AmplitudeEvent[] {
  return actions(records, seed).flatMap(({ name, at, device, user, plan, amount, isReject, isTwin, n }) => {
    const time = new Date(at).toISOString().replace('T', ' ').replace('Z', '000')
    const person = Number(device.slice('device-'.length))
    const event = {
      $insert_id: `insert-${n}`,
      amplitude_id: 1000 + person,
      device_id: device,
      user_id: isReject ? TOO_LONG : (user ?? null),
      event_type: name,
      event_time: time,
      server_upload_time: time,
      event_properties: { plan, ...(amount !== undefined && { amount }) },
      user_properties: {},
      groups: {},
    }
    return isTwin ? [event, event] : [event]
  })
}

export const SHOP_MAPPING = `events:
  rename: { Signed Up: signed_up }
  drop: [Heartbeat]
`
