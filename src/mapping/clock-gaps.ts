import { MICROS_PER_HOUR } from '../text/units.ts'

const QUARTER_HOUR = MICROS_PER_HOUR / 4
/** Zones lie within 14 hours of UTC; a larger gap is a late delivery or an import. */
const MAX_QUARTERS = 14 * 4
const MIN_RECORDS = 100
/** Least share of the records that must agree: late deliveries are spread over many gaps, a zone makes one or two. */
const MIN_SHARE = 0.5

/** A clock that is not UTC, as the records show it. */
export interface ForeignClock {
  /** Offsets east of UTC that the clock had, `+05:30`; two where summer time changed it. */
  readonly offsets: readonly string[]
  /** Records that agree on them, out of `of` records that could tell. */
  readonly records: number
  readonly of: number
}

/** Collects how far records' times are from a clock known to be UTC, and tells when a time zone explains it. */
export class ClockGaps {
  readonly #quarters = new Map<number, number>()
  #count = 0

  /** Microseconds by which the known clock was ahead of the record's time. */
  add(gap: number): void {
    this.#count++
    const quarter = Math.round(gap / QUARTER_HOUR)
    if (Math.abs(quarter) <= MAX_QUARTERS) this.#quarters.set(quarter, (this.#quarters.get(quarter) ?? 0) + 1)
  }

  /** The zone's clock, when most records are off by the same whole quarters of an hour. */
  foreign(): ForeignClock | undefined {
    if (this.#count < MIN_RECORDS) return undefined
    const [commonest] = [...this.#quarters].sort(([, a], [, b]) => b - a)
    if (commonest === undefined || commonest[0] === 0) return undefined
    const [quarter, alone] = commonest
    const [other] = [quarter - 4, quarter + 4].sort((a, b) => this.#at(b) - this.#at(a))
    const records = alone + (other === 0 ? 0 : this.#at(other!))
    if (records < this.#count * MIN_SHARE) return undefined
    const isPair = other !== 0 && this.#at(other!) >= alone / 10
    const quarters = isPair ? [quarter, other!] : [quarter]
    return { offsets: quarters.sort((a, b) => b - a).map(offsetText), records, of: this.#count }
  }

  #at(quarter: number): number {
    return this.#quarters.get(quarter) ?? 0
  }
}

/** A clock five hours late has the offset -05:00. */
function offsetText(quartersBehind: number): string {
  const minutes = Math.abs(quartersBehind) * 15
  const hours = String(Math.floor(minutes / 60)).padStart(2, '0')
  return `${quartersBehind > 0 ? '-' : '+'}${hours}:${String(minutes % 60).padStart(2, '0')}`
}
