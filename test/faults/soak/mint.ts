import { hash } from 'node:crypto'

/** What becomes of a record: an event, a reject of transform, or an event that the service refuses. */
export type Fate = 'event' | 'broken' | 'poison'

/** What a soak is made of; everything else follows from it. */
export interface MintOptions {
  readonly seed: number
  readonly records: number
  /** The version of posthaul, which its events carry. */
  readonly version: string
}

/** Mixpanel's namespace, and posthaul's own: the uuids are made here a second time, by other code. */
const MIXPANEL = Buffer.from('posthog_mixpanel')
const POSTHAUL = Buffer.from('23d098beab8c5a3eb8a6d4929c9e9483', 'hex')

const FIRST_SECOND = Date.UTC(2024, 0, 1) / 1000
const DAY = 86_400
/** About the size of a day above which transform seals it alone. */
const EVENTS_A_DAY = 330_000
/** A twin comes so many records after its first. */
const TWIN_DISTANCE = 777
const TWINS_ONE_IN = 500
const EVENTS_A_USER = 50
const LINKS_ONE_IN = 8

/** Names as Mixpanel writes them, and as they must arrive. */
const NAMES = [
  ['"$mp_web_page_view"', '"$pageview"'],
  ['"Report Created"', '"Report Created"'],
  ['"caf\\u00e9 \\"late\\""', '"café \\"late\\""'],
  ['"Überblick 東京"', '"Überblick 東京"'],
] as const

/** Numbers and texts that a decoder would write in another way. */
const ODD = ['12345678901234567890', '1.0', '1E+5', '-0', '"\\u00e9\\/\\n"', '{"a" : [1 ,2.50]}'] as const

/**
 * A made-up history in which record `n` is a function of the seed and `n`. The service can therefore work out for each
 * event the very bytes that must arrive, and nothing is kept.
 */
export class Mint {
  readonly records: number
  readonly days: number
  readonly users: number
  readonly #seed: number
  readonly #tail: string
  readonly #poisonOneIn: number
  readonly #brokenOneIn: number

  constructor({ seed, records, version }: MintOptions) {
    this.records = records
    this.#seed = seed
    this.days = Math.max(3, Math.ceil(records / EVENTS_A_DAY))
    this.users = Math.max(10, Math.floor(records / EVENTS_A_USER))
    this.#poisonOneIn = Math.max(400, Math.floor(records / 250))
    this.#brokenOneIn = Math.max(300, Math.floor(records / 1000))
    this.#tail = `,"$geoip_disable":true,"$import_job_id":"soak","$lib":"posthaul","$lib_version":"${version}","analytics_source":"mixpanel"}}`
  }

  fate(n: number): Fate {
    if (this.#draw(n, 1) % this.#brokenOneIn === 0) return 'broken'
    return this.#draw(n, 2) % this.#poisonOneIn === 0 ? 'poison' : 'event'
  }

  /** True if the record is in the export twice. */
  hasTwin(n: number): boolean {
    return n >= 0 && n + TWIN_DISTANCE < this.records && this.#draw(n, 3) % TWINS_ONE_IN === 0
  }

  user(n: number): number {
    return this.#draw(n, 4) % this.users
  }

  /** Seconds since the epoch. The records of a day are in no order. */
  second(n: number): number {
    const day = Math.floor((n * this.days) / this.records)
    return FIRST_SECOND + day * DAY + (this.#draw(n, 5) % DAY)
  }

  /** True if the record links the user's device to the user: the first one makes an `$identify`. */
  isLink(n: number): boolean {
    return this.#draw(n, 6) % LINKS_ONE_IN === 0
  }

  /** The lines of the export that record `n` brings: itself, and the twin of an earlier one. */
  *lines(n: number): Generator<string> {
    yield this.#line(n)
    if (this.hasTwin(n - TWIN_DISTANCE)) yield this.#line(n - TWIN_DISTANCE)
  }

  #line(n: number): string {
    const user = this.user(n)
    const time = this.fate(n) === 'broken' ? '"25:61"' : this.second(n)
    const device = this.isLink(n) ? `"$device_id":"d-${user}",` : ''
    const [name] = this.#name(n)
    return `{"event":${name},"properties":{"time":${time},"distinct_id":"u-${user}",${device}"$insert_id":"${this.#insertId(n)}",${this.#own(n)}}}`
  }

  /** The event that must arrive for record `n`, byte for byte. */
  event(n: number): string {
    const user = this.user(n)
    const device = this.isLink(n) ? `"$device_id":"d-${user}","$mixpanel_device_id":"d-${user}",` : ''
    const uuid = uuidV5(MIXPANEL, this.#insertId(n))
    return `${head(uuid, this.second(n), this.#name(n)[1], `u-${user}`)}${device}${this.#own(n)}${this.#tail}`
  }

  /** The `$identify` that must arrive for a user whose first link is at that second. */
  identify(user: number, second: number): string {
    const uuid = uuidV5(POSTHAUL, `identify:u-${user}:d-${user}`)
    return `${head(uuid, second, '"$identify"', `u-${user}`)}"$anon_distinct_id":"d-${user}"${this.#tail}`
  }

  /** The second of each user's first link; 0 for a user without one. */
  firstLinks(): Int32Array {
    const first = new Int32Array(this.users)
    for (let n = 0; n < this.records; n++) {
      if (!this.isLink(n) || this.fate(n) === 'broken') continue
      const [user, second] = [this.user(n), this.second(n)]
      if (first[user] === 0 || second < first[user]!) first[user] = second
    }
    return first
  }

  /** `"n"` first: by it the service knows which record an event came from. */
  #own(n: number): string {
    const draw = this.#draw(n, 7)
    const poison = this.fate(n) === 'poison' ? ',"poison":true' : ''
    return `"n":${n},"odd":${ODD[draw % ODD.length]},"amount":${draw / 100},"path":"/app/reports/${draw % 5000}"${poison}`
  }

  #name(n: number): (typeof NAMES)[number] {
    return NAMES[this.#draw(n, 8) % NAMES.length]!
  }

  #insertId(n: number): string {
    return `soak-${this.#seed}-${n}`
  }

  /** 32 random bits of record `n`; `use` tells the draws of one record apart. */
  #draw(n: number, use: number): number {
    let bits = Math.imul(n + 1, 0x9e3779b1) ^ Math.imul(this.#seed + use * 0x85eb, 0xc2b2ae35)
    bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b)
    bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35)
    return (bits ^ (bits >>> 16)) >>> 0
  }
}

function head(uuid: string, second: number, name: string, id: string): string {
  const time = new Date(second * 1000).toISOString().replace('Z', '000Z')
  return `{"uuid":"${uuid}","timestamp":"${time}","event":${name},"distinct_id":"${id}","properties":{"distinct_id":"${id}",`
}

/** Version 5 of RFC 9562. */
function uuidV5(namespace: Buffer, name: string): string {
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'hex')
  const variant = ((Number.parseInt(hex[16]!, 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
