import type { Profile } from './profiles-of.ts'
import { guessTime } from './time-guess.ts'

const CLOCK = /^(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?$/i
const CLOCK_NAME = /time|zeit|uhr|hora|heure|ora|clock|tod/i

/** True for a member of times of day. */
export function isClock({ member: { texts } }: Profile): boolean {
  return texts.length > 0 && texts.every((text) => CLOCK.test(text))
}

/**
 * The member of times of day that goes with one of days: the only one, or the only one that is called so. Undefined
 * where the two texts together are no times. `now` in microseconds.
 */
export function dayAndClock(day: Profile, profiles: readonly Profile[], now: number) {
  const clocks = profiles.filter((one) => one.member.isPath && isClock(one))
  const called = clocks.filter(({ member }) => CLOCK_NAME.test(member.name))
  const [clock, ...more] = clocks.length > 1 ? called : clocks
  if (!clock || more.length > 0 || !day.member.isPath || day.kind.kind !== 'time') return undefined
  const { member, kind } = day
  const clockAt = new Map(clock.member.at.map((record, i) => [record, i]))
  const both = member.at.flatMap((record, i) => {
    const other = clockAt.get(record)
    return other === undefined || member.texts[i] === undefined ? [] : [{ record, i, other }]
  })
  // Blanks and words for nothing have no text: then the two lists don't go together.
  if (
    member.texts.length !== member.values.length ||
    clock.member.texts.length !== clock.member.values.length
  )
    return undefined
  const texts = both.map(({ i, other }) => `${member.texts[i]} ${clock.member.texts[other]}`)
  const time = guessTime(texts, true, now)
  if (!time || time.fits < texts.length) return undefined
  const at = both.map(({ record }) => record)
  /** The day's member, with the two texts joined in the records that have both. */
  const joined: Profile = {
    member: { ...member, texts, values: both.map(({ i }) => member.values[i]!), at },
    kind: { kind: 'time', time, odd: kind.odd },
    distinct: new Set(texts).size,
  }
  return { clock, joined }
}
