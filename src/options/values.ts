import { PosthaulError } from '../errors.ts'
import { isLoopback } from '../http/network-error.ts'
import { Secret } from '../http/secret.ts'
import { canonicalUuid } from '../record/uuid.ts'
import { isTimeZone } from '../record/zone.ts'
import { nearest } from '../text/nearest.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE, MS_PER_SECOND } from '../text/units.ts'

/** Reads an option's text; a RangeError says what was expected. `from`: the name of the text's source in messages. */
export type Parse<T> = (text: string, from: string) => T

/** How the text of an option is read. */
export interface ValueRules {
  /** The only words that are allowed. */
  readonly choices?: readonly string[]
  /** Tells the path of a file, where one may be given in place of a choice. */
  readonly orFile?: (text: string) => boolean
  /** How its text is read, if it has no `choices`. Default: as it is. */
  readonly parse?: Parse<unknown>
}

/** Reads the text of an option. A PosthaulError names the source and says what was expected. */
export function readText(
  { choices, orFile, parse = text }: ValueRules,
  value: string,
  from: string,
): unknown {
  try {
    if (!choices || orFile?.(value)) return parse(value, from)
    if (choices.includes(value)) return value
    throw new RangeError(`expected ${alternatives(choices)}`)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    const meant = choices && nearest(value, choices)
    throw new PosthaulError(`${from} is "${value}": ${cause.message}`, {
      code: from.startsWith('--') ? 'usage' : 'config',
      ...(meant !== undefined && { hint: `did you mean ${meant}?` }),
      cause,
    })
  }
}

/** `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`
}

/** Text as it is. Empty text is refused, because a script with `"$UNSET"` passes it by mistake. */
export function text(value: string): string {
  if (value !== '') return value
  throw new RangeError('expected a value that is not empty')
}

/** A whole number from `least` on; `10_000` and `10,000` are read as people write them. */
export function wholeNumber(least: number, most = Number.MAX_SAFE_INTEGER): (value: string) => number {
  return (value) => {
    const number = /^\d+(?:[_,]\d{3})*$/.test(value) ? Number(value.replaceAll(/[_,]/g, '')) : Number.NaN
    if (number >= least && number <= most) return number
    const range = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`
    throw new RangeError(`expected a whole number ${range}`)
  }
}

/** How many of a set are looked at: a whole number, or `all`. */
export function sampleSize(value: string): number {
  if (value === 'all') return Number.POSITIVE_INFINITY
  try {
    return wholeNumber(0)(value)
  } catch (cause) {
    throw new RangeError('expected a whole number, or all', { cause })
  }
}

/** A share between 0 and 1. */
export function ratio(value: string): number {
  const number = /^[\d.]+(?:e-\d+)?$/i.test(value) ? Number(value) : Number.NaN
  if (number >= 0 && number <= 1) return number
  throw new RangeError('expected a number from 0 to 1')
}

/** A dotted path and a value, as in `app_id=shop`; the value may be empty. */
/** The number of a record, `12` or `raw/a.ndjson:12`. */
export function recordNumber(value: string): { readonly file: string | undefined; readonly line: number } {
  const [, file, digits] = /^(?:(.+):)?(\d{1,15})$/s.exec(value) ?? []
  if (digits !== undefined && Number(digits) > 0) return { file, line: Number(digits) }
  throw new RangeError(
    'expected a number from 1 on, with the name of a file before it where there are several: a.ndjson:12',
  )
}

/** A UUID, canonical. */
export function uuid(value: string): string {
  const canonical = canonicalUuid(value.trim())
  if (canonical !== undefined) return canonical
  throw new RangeError('expected a uuid, such as 018f3c6e-1c2b-7a10-9f00-0123456789ab')
}

/** The name of a time zone. */
export function timeZone(value: string): string {
  if (isTimeZone(value)) return value
  throw new RangeError('expected the name of a time zone, such as Europe/Vienna')
}

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: MS_PER_SECOND,
  m: MS_PER_MINUTE,
  h: MS_PER_HOUR,
  d: MS_PER_DAY,
}

/** A span of time such as `90s`, `50m`, `1h30m` or `2d`, in milliseconds. */
export function duration(value: string): number {
  if (!/^(?:\d+(?:ms|s|m|h|d))+$/.test(value))
    throw new RangeError('expected a time such as 90s, 50m or 1h30m')
  let total = 0
  for (const [, amount, unit] of value.matchAll(/(\d+)(ms|s|m|h|d)/g))
    total += Number(amount) * UNIT_MS[unit!]!
  return total
}

/** The fingerprint of a key: 16 hex digits. */
export function keyFingerprint(value: string): string {
  if (/^[0-9a-f]{16}$/.test(value)) return value
  throw new RangeError('expected 16 hex digits, as the error about the key names them')
}

/** A duration, or a plain `0` for none. */
export function durationOrNone(value: string): number {
  return value === '0' ? 0 : duration(value)
}

/** `true` or `false`, of a switch that is no flag. */
export function trueOrFalse(value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true'
  throw new RangeError('expected true or false')
}

/** A span of whole hours that divides a day, in milliseconds. */
export function hoursOfDay(value: string): number {
  const span = /^\d+[hd]$/.test(value) ? duration(value) : Number.NaN
  if (span > 0 && UNIT_MS.d! % span === 0) return span
  throw new RangeError('expected whole hours that divide a day: 1h, 2h, 3h, 4h, 6h, 8h, 12h or 1d')
}

const INSTANT = /^\d{4}-\d{2}-\d{2}(?:T\d{2}(?::\d{2})?)?Z?$/

/** `2024-03-01`, `2024-03-01T05` or `2024-03-01T05:00`, read as UTC, in milliseconds since the epoch. */
export function utcTime(value: string): number {
  const plain = value.replace(/Z$/, '')
  const whole = plain.length === 10 ? `${plain}T00:00` : plain.length === 13 ? `${plain}:00` : plain
  const instant = INSTANT.test(value) ? Date.parse(`${whole}Z`) : Number.NaN
  // Date.parse reads 2024-02-30 as 1 March. A day that does not read back the same does not exist.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(plain.slice(0, 10))) {
    throw new RangeError('expected a UTC time such as 2024-03-01 or 2024-03-01T05')
  }
  return instant
}

/**
 * Reads the address of a webhook. It is a secret: who knows it can send in the user's name, so no message
 * repeats it. http is allowed, because such a service can be a host of one's own network.
 */
export function webhookAddress(text: string, from: string): Secret {
  const { username, password } = /^https?:\/\//i.test(text) && URL.canParse(text) ? new URL(text) : {}
  if (username === '' && password === '') return new Secret(text, from)
  const problem = username === undefined ? 'is not an address' : 'carries a user name or password'
  throw new PosthaulError(`${from} ${problem}`, {
    code: from.startsWith('--') ? 'usage' : 'config',
    hint: 'write it as the service shows it, like https://hc-ping.com/your-id',
  })
}

/** Checks an address and returns its origin. Requests carry keys, so plain http is refused, except for loopback. */
export function parseOrigin(address: string, from: string): string {
  const refused = (why: string, hint: string) => new PosthaulError(`${from} ${why}`, { code: 'config', hint })
  const given = address.includes('://') ? address : `https://${address}`
  if (!URL.canParse(given)) throw refused('is not an address', 'write it like https://posthog.example.com')
  const { username, password, protocol, host, hostname, pathname, search, hash, origin } = new URL(given)
  // This comes before the messages that repeat the address: a password in it must not reach them.
  if (username || password) {
    const hint = 'write the address without them, like https://posthog.example.com'
    throw refused('carries a user name or password, which the service does not take', hint)
  }
  if (protocol !== 'https:' && !(protocol === 'http:' && isLoopback(hostname))) {
    const hint = 'use https; plain http is accepted only for 127.0.0.1, [::1] and localhost'
    throw refused(`is ${protocol}//${host}: keys would travel in the clear`, hint)
  }
  if (pathname !== '/' || search || hash)
    throw refused('has a path after the host name', `write ${origin} alone`)
  return origin
}
