import { number } from '../../text/index.ts'
import { isClock } from '../profile/day-and-clock.ts'
import type { Profile } from '../profile/member-profile.ts'
import { inComment } from './yaml-text.ts'

const DIGITS_OF_DAY = /^(?:19|20)\d{6}$/
/** The first time of day in a text, and its half of the day: an offset comes after it. */
const TIME_OF_DAY = /(?<!\d)(\d{1,2})(:\d\d(?::\d\d(?:[.,]\d+)?)?)(?:\s*([ap])\.?m)?/i

/** The question that times ask which are all midnight: the time of day is lost, or in a column of its own. */
export function midnightQuestion({ member }: Profile, profiles: readonly Profile[]): string | undefined {
  if (!member.texts.every(isMidnight)) return undefined
  const all = `all ${number(member.texts.length)} times are midnight`
  const clock = profiles.find(isClock)
  if (!clock) return `${all}: is the time of day in another column?`
  const name = inComment(clock.member.name)
  return `${all}: is the time of day in ${name}? "time: [${inComment(member.name)}, ${name}]" in the place of timestamp joins the two; without it every event stays at midnight`
}

function isMidnight(text: string): boolean {
  const match = TIME_OF_DAY.exec(text)
  if (match) {
    const [, hour, rest = '', half] = match
    return Number(hour) === (half?.toLowerCase() === 'a' ? 12 : 0) && !/[1-9]/.test(rest)
  }
  // Bare numbers of seconds or milliseconds have a time of day.
  return DIGITS_OF_DAY.test(text) || !/^-?\d+(?:\.\d+)?$/.test(text)
}

/** True for a member of days as ISO writes them, which stay text where they are no event's time. */
export function isDays({ member }: Profile): boolean {
  return member.texts.every((text) => /^\d{4}-\d\d-\d\d$/.test(text))
}
