import type { InputFile } from '../../../src/inputs/input-file.ts'
import { Random } from '../generate/random.ts'

/** How many UTC days a history has: a little over eight years. */
export const DAYS = 3000
/** Bytes of an event, as a record and as a line of a run alike. */
export const EVENT_BYTES = 700
/** How many times smaller gzip makes records. */
export const GZIP_RATIO = 8

const FIRST_DAY = Date.UTC(2018, 0, 1)
const DAY_MS = 86_400_000
const YEAR = 365
/** Projects that were exported, whose sizes follow Zipf's law: the tenth has a tenth of the first one's events. */
const TENANTS = 40
/** These came as an archive a year. Of the others the larger ones came plain, and the smaller ones packed. */
const ARCHIVED = [12, 20, 30]
const PLAIN = 8
/** Days with a campaign: the first has this many times the events of its neighbours, the second half of that, and so on. */
const CAMPAIGNS = 60
const LARGEST_CAMPAIGN = 30
/** The last day has this many times the events of the first. */
const GROWTH = 20
/** A vendor's day in another time zone than UTC: this share of a file belongs to the next UTC day. */
const SPILL = 1 / 3

/** The events that a file has of each day from `first` on. */
export interface Content {
  readonly first: number
  readonly events: readonly number[]
}

/** A made-up history: its files as a listing gives them, and beside each what is in it. */
export interface History {
  readonly inputs: readonly InputFile[]
  readonly contents: readonly Content[]
  readonly events: number
}

/** Draws a history of so many events. A function of its arguments. */
export function drawHistory(events: number, seed: number): History {
  const days = dayShares(new Random(seed)).map((share) => share * events)
  const harmonic = Array.from({ length: TENANTS }, (_, at) => 1 / (at + 1)).reduce((sum, one) => sum + one)
  const inputs: InputFile[] = []
  const contents: Content[] = []
  const add = (name: string, packed: boolean, content: Content) => {
    const bytes = content.events.reduce((sum, one) => sum + one, 0) * EVENT_BYTES
    inputs.push(inputOf(name, Math.ceil(packed ? bytes / GZIP_RATIO : bytes), packed))
    contents.push(content)
  }
  for (let rank = 1; rank <= TENANTS; rank++) {
    const share = 1 / rank / harmonic
    const folder = `project-${String(rank).padStart(2, '0')}`
    const spill = rank % 2 === 0 ? SPILL : 0
    if (ARCHIVED.includes(rank)) {
      for (let first = 0; first < DAYS; first += YEAR) {
        const year = days.slice(first, first + YEAR).map((day) => day * share)
        add(`${folder}/${dateOf(first)}.ndjson.gz`, true, { first, events: year })
      }
      continue
    }
    const packed = rank > PLAIN
    for (let first = 0; first < DAYS; first++) {
      const own = days[first]! * share
      const two = spill > 0 && first + 1 < DAYS ? [own * (1 - spill), own * spill] : [own]
      add(`${folder}/${dateOf(first)}.ndjson${packed ? '.gz' : ''}`, packed, { first, events: two })
    }
  }
  return { inputs, contents, events }
}

/** Each day's share of all events: growth over the years, quiet weekends, chance, and campaigns. */
function dayShares(random: Random): number[] {
  const weights = Array.from({ length: DAYS }, (_, day) => {
    const weekend = new Date(FIRST_DAY + day * DAY_MS).getUTCDay() % 6 === 0
    return GROWTH ** (day / DAYS) * (weekend ? 0.55 : 1) * (0.85 + 0.3 * random.next())
  })
  for (let rank = 1; rank <= CAMPAIGNS; rank++) weights[random.below(DAYS)]! *= 1 + LARGEST_CAMPAIGN / rank
  const all = weights.reduce((sum, one) => sum + one)
  return weights.map((weight) => weight / all)
}

function inputOf(name: string, size: number, packed: boolean): InputFile {
  return {
    path: `s3://bucket/raw/${name}`,
    name,
    size,
    mtimeMs: 0,
    format: 'ndjson',
    compression: packed ? 'gzip' : 'none',
    delimiter: undefined,
    rejects: false,
  }
}

function dateOf(day: number): string {
  return new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 10)
}
