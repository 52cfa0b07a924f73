import type { Mint } from './mint.ts'

/** What the ledger holds against the events that were minted. */
export interface Findings {
  /** Events that are there, each once, with the very bytes that were minted. */
  readonly there: number
  readonly links: number
  /** Arrivals of an event that was there already; the service merges them. */
  readonly again: number
  /** Records that should be there and are not. */
  readonly missing: readonly number[]
  readonly missingLinks: readonly number[]
  /** Events that are other bytes than were minted. */
  readonly bent: readonly string[]
  /** Events that came before an older one of the same user. */
  readonly disordered: readonly string[]
}

/** Findings of a kind that are kept. One is a breach already. */
const KEPT = 5

const NUMBER = /"n":(\d+)/y
const IDENTIFY = /"event":"\$identify","distinct_id":"u-(\d+)"/y
const AFTER_TIMESTAMP = '{"uuid":"","timestamp":"",'.length + 36 + 27

/** What the service holds: a byte an event, since its content follows from its number. */
export class Ledger {
  readonly #mint: Mint
  readonly #firstLinks: Int32Array
  readonly #there: Uint8Array
  readonly #linked: Uint8Array
  readonly #latest: Int32Array
  #again = 0
  readonly #bent: string[] = []
  readonly #disordered: string[] = []

  constructor(mint: Mint) {
    this.#mint = mint
    this.#firstLinks = mint.firstLinks()
    this.#there = new Uint8Array(mint.records)
    this.#linked = new Uint8Array(mint.users)
    this.#latest = new Int32Array(mint.users)
  }

  /**
   * The events of a request's `batch`, text[from, to), as numbers: those of records, and -1 - user for an `$identify`.
   * Undefined if one of them is not, byte for byte, what was minted.
   */
  read(text: string, from: number, to: number): number[] | undefined {
    const found: number[] = []
    let at = from
    while (at < to) {
      const number = numberAt(text, at)
      const line = number === undefined ? undefined : this.#minted(number)
      if (line === undefined || !text.startsWith(line, at)) {
        keep(this.#bent, `${text.slice(at, at + 400)}\n  not ${line}`)
        return undefined
      }
      found.push(number!)
      at += line.length
      if (at < to && text[at] !== ',') {
        keep(this.#bent, `more after an event: ${text.slice(at, at + 80)}`)
        return undefined
      }
      at++
    }
    return found
  }

  /** True if the service refuses a request because of this event. */
  refuses(number: number): boolean {
    return number >= 0 && this.#mint.fate(number) === 'poison'
  }

  store(numbers: readonly number[]): void {
    for (const number of numbers) {
      const [known, at] = number < 0 ? [this.#linked, -1 - number] : [this.#there, number]
      if (known[at] === 0) this.#first(number)
      else this.#again++
      known[at] = 1
    }
  }

  #first(number: number): void {
    const user = number < 0 ? -1 - number : this.#mint.user(number)
    const second = number < 0 ? this.#firstLinks[user]! : this.#mint.second(number)
    if (second < this.#latest[user]!) keep(this.#disordered, `user ${user}, event ${number}`)
    this.#latest[user] = second
  }

  /** The event minted under a number; undefined if none was. */
  #minted(number: number): string | undefined {
    if (number < 0) {
      const second = this.#firstLinks[-1 - number]
      return second ? this.#mint.identify(-1 - number, second) : undefined
    }
    return number < this.#mint.records && this.#mint.fate(number) !== 'broken'
      ? this.#mint.event(number)
      : undefined
  }

  findings(): Findings {
    const [missing, missingLinks]: [number[], number[]] = [[], []]
    let [there, links] = [0, 0]
    for (let n = 0; n < this.#mint.records; n++) {
      if (this.#there[n] === 1) there++
      else if (this.#mint.fate(n) === 'event') missing.push(n)
    }
    for (let user = 0; user < this.#mint.users; user++) {
      if (this.#linked[user] === 1) links++
      else if (this.#firstLinks[user] !== 0) missingLinks.push(user)
    }
    return {
      there,
      links,
      again: this.#again,
      missing,
      missingLinks,
      bent: this.#bent,
      disordered: this.#disordered,
    }
  }
}

function numberAt(text: string, at: number): number | undefined {
  IDENTIFY.lastIndex = at + AFTER_TIMESTAMP
  const link = IDENTIFY.exec(text)
  if (link) return -1 - Number(link[1])
  NUMBER.lastIndex = text.indexOf('"n":', at)
  const own = NUMBER.lastIndex === -1 ? undefined : NUMBER.exec(text)
  return own ? Number(own[1]) : undefined
}

function keep(list: string[], one: string): void {
  if (list.length < KEPT) list.push(one)
}
