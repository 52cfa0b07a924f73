import { Random } from './random.ts'

/**
 * What the records of a history have in common. The shape of a record is its members: their names, what kind of value each
 * has, and whether that is empty.
 * - `usual`: two shapes, of signed-in and of unknown visitors.
 * - `varied`: 1,700 shapes, ten of them 60% of the records, as of a product with its own events and properties.
 * - `wild`: 40,000 shapes, none more frequent than another, as where every caller sends what it likes.
 */
export type Variety = 'usual' | 'varied' | 'wild'

/** What a shape gives a record; a function of the history's seed and the shape's number. */
export interface Shape {
  /** True when the visitor is signed in. */
  readonly known: boolean
  /** The name of its event, for shapes of an event of their own. */
  readonly event: string | undefined
  /** False for what the vendor's own library notes of a browser, in an event that a server sent. */
  readonly web: boolean
  /** True when this shape lacks the member of that place among those that the vendor may leave out. */
  readonly lacks: (place: number) => boolean
  /** Properties of the product's own, by name. */
  readonly own: readonly Own[]
}

/** A property of the product's own. */
export interface Own {
  readonly name: string
  readonly kind: Kind
}

/** Each property's kind is one of these by its name; a shape may have it empty. */
const KINDS = ['text', 'number', 'text', 'flag', 'list', 'text', 'number', 'object', 'time', 'text'] as const
const EMPTY = ['nothing', 'blank', 'no list', 'no object'] as const

type Kind = (typeof KINDS)[number] | (typeof EMPTY)[number]

const HOT = { shapes: 10, share: 0.6 }
const VARIED = { shapes: 1700, names: 160 }
const WILD = { shapes: 40_000, names: 1500 }

const THINGS = [
  'account',
  'article',
  'cart',
  'checkout',
  'coupon',
  'document',
  'export',
  'filter',
  'invite',
  'item',
]
const MORE_THINGS = [
  'lesson',
  'order',
  'plan',
  'project',
  'report',
  'search',
  'seat',
  'team',
  'ticket',
  'video',
]
const TRAITS = ['id', 'name', 'total', 'is_new', 'tags', 'category', 'count', 'details', 'created', 'source']
const WORDS = ['monthly', 'Größe', 'team A', 'yes "really"', 'first\nsecond', 'none yet', 'blue', 'São Paulo']

/** The shapes of one history. */
export class Shapes {
  readonly #variety: Exclude<Variety, 'usual'>
  readonly #seed: number
  readonly #made = new Map<number, Shape>()

  constructor(variety: Exclude<Variety, 'usual'>, seed: number) {
    this.#variety = variety
    this.#seed = seed
  }

  next(random: Random): Shape {
    const number = this.#variety === 'wild' ? random.below(WILD.shapes) : variedNumber(random)
    let shape = this.#made.get(number)
    if (shape === undefined) {
      shape = makeShape(new Random(Math.imul(number + 1, 0x85ebca6b) ^ this.#seed), this.#variety)
      this.#made.set(number, shape)
    }
    return shape
  }
}

/** The first ten are equally frequent; each further one the rarer the later it comes. */
function variedNumber(random: Random): number {
  if (random.next() < HOT.share) return random.below(HOT.shapes)
  const cold = VARIED.shapes - HOT.shapes
  return HOT.shapes - 1 + Math.floor((cold + 1) ** random.next())
}

function makeShape(random: Random, variety: 'varied' | 'wild'): Shape {
  const web = random.next() < 0.8
  const { names } = variety === 'varied' ? VARIED : WILD
  const chosen = new Map<number, Kind>()
  for (let left = 2 + random.below(10); left > 0; left--) {
    const number = random.below(names)
    const full = KINDS[number % KINDS.length]!
    chosen.set(number, random.below(8) === 0 ? random.pick(EMPTY) : full)
  }
  const own = [...chosen].map(([number, kind]) => ({ name: nameOf(number), kind }))
  const lacking = Array.from({ length: 32 }, () => random.next() < 0.2)
  return {
    known: !web || random.next() < 0.5,
    event: random.next() < 0.4 ? undefined : `${capital(thing(random.below(20)))} ${random.pick(VERBS)}`,
    web,
    lacks: (place) => lacking[place]!,
    own: own.sort((a, b) => (a.name < b.name ? -1 : 1)),
  }
}

const VERBS = ['Created', 'Changed', 'Removed', 'Opened', 'Shared']

function thing(number: number): string {
  return [...THINGS, ...MORE_THINGS][number]!
}

function capital(word: string): string {
  return `${word[0]!.toUpperCase()}${word.slice(1)}`
}

/** Names in the three ways that products write them; the last digit of the number is the trait. */
function nameOf(number: number): string {
  const trait = TRAITS[number % 10]!
  const word = thing(Math.floor(number / 10) % 20)
  const round = Math.floor(number / 200)
  const suffix = round === 0 ? '' : String(round)
  if (number % 3 === 0) return `${capital(word)} ${capital(trait)}${suffix}`
  return number % 3 === 1 ? `${word}_${trait}${suffix}` : `${word}${capital(trait)}${suffix}`
}

/** A value of that kind. */
export function ofKind(kind: Kind, random: Random): unknown {
  switch (kind) {
    case 'text':
      return random.next() < 0.7 ? random.hex(12) : random.pick(WORDS)
    case 'number':
      return random.below(1_000_000) / 100
    case 'flag':
      return random.next() < 0.5
    case 'list':
      return Array.from({ length: 1 + random.below(3) }, () => random.pick(WORDS))
    case 'object':
      return { id: random.below(10_000), label: random.pick(WORDS), amounts: [random.below(100), 1.5] }
    case 'time':
      return new Date(1_600_000_000_000 + random.below(1_000_000_000)).toISOString()
    case 'nothing':
      return null
    case 'blank':
      return ''
    case 'no list':
      return []
    case 'no object':
      return {}
  }
}
