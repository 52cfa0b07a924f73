import { Random } from './random.ts'

/** The average number of events of one visitor. */
const VISIT_EVENTS = 25
/** How many visitors are active at the same time. */
const PRESENT = 2000

const FIRST_DAY = Date.UTC(2022, 0, 1)
const DAY = 86_400_000
const EVENTS_A_DAY = 20_000

const PLACES = [
  ['Vienna', 'Vienna', 'AT', 'Austria'],
  ['Lyon', 'Auvergne-Rhône-Alpes', 'FR', 'France'],
  ['Portland', 'Oregon', 'US', 'United States'],
  ['São Paulo', 'São Paulo', 'BR', 'Brazil'],
  ['Osaka', 'Ōsaka', 'JP', 'Japan'],
] as const

const BROWSERS = [
  ['Chrome', 122, 'Windows', '10'],
  ['Safari', 17.3, 'Mac OS X', '14.2'],
  ['Firefox', 123, 'Linux', '6.6'],
  ['Mobile Safari', 17.3, 'iOS', '17.3'],
] as const

/** The person of an event: a function of the seed and the visitor's number, so that nothing is kept in memory. */
export interface Visitor {
  readonly device: string
  readonly user: string
  readonly place: (typeof PLACES)[number]
  readonly browser: (typeof BROWSERS)[number]
  /** The share of events in which the visitor is signed in. */
  readonly known: number
}

/** One of the visitors who are active when event `index` happens. */
export function visitorAt(index: number, seed: number, random: Random): Visitor {
  const number = Math.floor(index / VISIT_EVENTS) + random.below(PRESENT)
  const own = new Random(Math.imul(number + 1, 0x9e3779b1) ^ seed)
  return {
    device: own.uuid(),
    user: `user-${100_000 + number}`,
    place: own.pick(PLACES),
    browser: own.pick(BROWSERS),
    known: own.next(),
  }
}

/** When event `index` happens, in milliseconds: some time of its day. */
export function millisOf(index: number, random: Random): number {
  return FIRST_DAY + Math.floor(index / EVENTS_A_DAY) * DAY + random.below(DAY)
}
