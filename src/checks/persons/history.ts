import { createHash } from 'node:crypto'
import { meterOf } from '../../delivery/arrival-watch.ts'
import type { InputSource } from '../../delivery/intake.ts'
import type { LineReader } from '../../delivery/line-reader.ts'
import type { Place } from '../../delivery/place.ts'
import { PosthaulError } from '../../errors.ts'
import type { Clock } from '../../http/clock.ts'
import { canonicalJson, exactJson, parseExact, roundedJson } from '../../record/json-values.ts'
import { MOST_NAMES } from '../../record/notes.ts'
import { INITIAL, type PersonWrites, personWrites } from '../../record/rules.ts'
import { dayOf, dayText } from '../../record/time.ts'
import type { Wanted } from '../../service/arrived-events.ts'
import { SortedLines } from '../../store/sorted-lines.ts'
import { Thinned } from '../../text/lists.ts'
import { MIB, MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import { span } from '../../text/words.ts'
import { eventIn, JOINED_ID } from '../event-in.ts'
import { readEvents } from '../read-events.ts'

/** Facts held in memory, in characters. */
const MOST_HELD = 24 * MIB
/** The last events whose arrival says that all have arrived, and as many from all over the history. */
const LAST_EVENTS = 200

export interface HistoryOptions {
  readonly open: () => Promise<{ readonly source: InputSource; readonly reader: LineReader }>
  readonly interrupted: AbortSignal
  readonly progress: (bytes: number) => void
  /** A folder for what does not fit into memory. */
  readonly folder: string
  /** Only the distinct ids are needed, and the names of what is written. */
  readonly idsOnly: boolean
  /** Where the history begins in the input: what is before it was imported already. */
  readonly from?: Place
}

export class History {
  /** How many distinct ids have events with persons, or are joined to one. Known after `read`. */
  ids = 0
  /** Events that update a person. */
  events = 0
  /** The properties that are written; undefined if they are too many to be told apart. */
  names: Set<string> | undefined = new Set()
  /** The time of the latest of them, in microseconds. */
  until = Number.NEGATIVE_INFINITY
  /** Events whose place the service looks up: their `$geoip_…` values are not known here. */
  placed = 0
  readonly #lines: SortedLines
  readonly #last: Wanted[] = []
  readonly #spread = new Thinned<Wanted>(LAST_EVENTS)
  #held = new Map<string, PersonFacts>()
  #length = 0

  private constructor(lines: SortedLines) {
    this.#lines = lines
  }

  /** Reads everything once, as an import reads it. */
  static async read(options: HistoryOptions): Promise<History> {
    const history = new History(new SortedLines(options.folder, 'history'))
    await readEvents(options, (line, head) => history.#look(line, head.instant, options.idsOnly))
    history.#flush()
    for (const _ of history.#lines.groups()) history.ids++
    return history
  }

  /** The last events that update a person, in the order of the input. */
  get last(): readonly Wanted[] {
    return this.#last
  }

  /** Up to 400 events that update a person, at even distances. */
  get spread(): readonly Wanted[] {
    return this.#spread.items
  }

  /** Every distinct id with what is written on its person, in order. */
  *facts(): Generator<readonly [distinctId: string, facts: PersonFacts]> {
    for (const [id, texts] of this.#lines.groups()) yield [id, mergedFacts(texts)]
  }

  *distinctIds(): Generator<string> {
    for (const [id] of this.#lines.groups()) yield id
  }

  remove(): void {
    this.#lines.remove()
  }

  #look(line: Buffer, instant: number, idsOnly: boolean): void {
    const sent = eventIn(withoutNul(line.toString('utf8')), parseExact)
    if (!sent) return
    const { uuid, event, distinct_id: id, properties } = sent
    const writes = personWrites(event, properties)
    if (!writes) return
    // The service keeps some events elsewhere: those will not be found.
    if (meterOf(event, properties)) {
      this.#sample({ day: dayText(dayOf(instant)), event, uuid: uuid.toLowerCase() })
    }
    this.events++
    this.until = Math.max(this.until, instant)
    if (!properties.$geoip_disable) this.placed++
    for (const names of [Object.keys(writes.set), Object.keys(writes.setOnce), writes.unset])
      for (const name of names) this.names?.add(name)
    if (this.names && this.names.size > MOST_NAMES) this.names = undefined
    const facts = this.#factsOf(id)
    const joined = properties[JOINED_ID.get(event) ?? '']
    if (typeof joined === 'string' && joined !== '') this.#factsOf(joined)
    if (!idsOnly) this.#length += addWrites(facts, writes, instant)
    if (this.#length > MOST_HELD) this.#flush()
  }

  #sample(event: Wanted): void {
    this.#last.push(event)
    if (this.#last.length > LAST_EVENTS) this.#last.shift()
    this.#spread.add(event)
  }

  #factsOf(id: string): PersonFacts {
    let facts = this.#held.get(id)
    if (!facts) {
      facts = newFacts()
      this.#held.set(id, facts)
      this.#length += id.length + 300
    }
    return facts
  }

  #flush(): void {
    for (const [id, facts] of this.#held) this.#lines.add(id, encodeFacts(facts))
    this.#held = new Map()
    this.#length = 0
  }
}

/** The service stores U+FFFD in place of NUL, in names and ids too. */
function withoutNul(json: string): string {
  if (!json.includes('\\u0000')) return json
  return json.replace(/\\(?:u0000|.)/g, (escaped) => (escaped === '\\u0000' ? '\ufffd' : escaped))
}

const LONGEST_PAUSE_MS = MS_PER_MINUTE
/** When no more of the last events came for so long, no more will. */
const QUIET_MS = 5 * MS_PER_MINUTE

export interface LastEventsOptions {
  /** Which of these events the project has. */
  readonly arrived: (events: readonly Wanted[]) => Promise<ReadonlySet<string>>
  readonly waitMs: number
  readonly clock: Clock
  readonly note: (text: string) => void
}

/**
 * Waits until the project has the last events of a history, or no more of them come: it drops some without a word. If it
 * drops just the last ones, events from all over the history show that the rest is there. Code `paused` if nothing shows
 * that within the wait.
 */
export async function lastEventsArrived(
  { last, spread }: Pick<History, 'last' | 'spread'>,
  { arrived, clock, waitMs, note }: LastEventsOptions,
  halt: AbortSignal,
): Promise<void> {
  const begun = clock.now()
  // The same line twice in a file is one event.
  const expected = new Set(last.map(({ uuid }) => uuid)).size
  let [known, since] = [-1, begun]
  for (let pause = MS_PER_SECOND; !halt.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const { size } = await arrived(last)
    if (size === expected) break
    const level = size > 0 ? spread.length + size : (await arrived(spread)).size
    if (known >= 0 && level > known) since = clock.now()
    if (known < 0) note(waiting(waitMs))
    known = Math.max(known, level)
    const quietMs = size > 0 ? Math.min(QUIET_MS, waitMs / 4) : waitMs
    if (level > 0 && clock.now() - since >= quietMs) {
      note(dropped(expected, size))
      break
    }
    if (clock.now() - begun >= waitMs) throw late(expected)
    await clock.sleep(Math.min(pause, waitMs / 4), halt)
  }
  // The project shows a person's new properties a little later than the event: as much later, most likely, as that came.
  const lag = clock.now() - begun
  if (lag > MS_PER_SECOND && !halt.aborted) await clock.sleep(Math.min(LONGEST_PAUSE_MS, lag), halt)
}

function waiting(waitMs: number): string {
  return (
    `all events are sent; persons are put right once the project has the last of them, which may take ${span(waitMs)} ` +
    '(POSTHAUL_ARRIVAL_WAIT). It can be stopped meanwhile: the same command goes on'
  )
}

function dropped(of: number, there: number): string {
  const which =
    there > 0 ? `${of - there} of the last ${of} events are not` : `none of the last ${of} events is`
  return `${which} in the project, and no more come: see verify`
}

function late(missing: number): PosthaulError {
  return new PosthaulError(
    `all events are sent, and the project has none of the last ${missing} so far; persons are put right after that`,
    {
      code: 'paused',
      hint:
        'run the same command again later; a service that lags more needs a longer POSTHAUL_ARRIVAL_WAIT, and with ' +
        '--keep-persons no the import ends without it',
    },
  )
}

/** Digests of a property's values that are kept: of more, the last ones. */
const MOST_DIGESTS = 1000
const DIGEST_LETTERS = 12

/** What `$unset` leaves: no value. */
const NOTHING = ''

/** What a history does to a property of a distinct id. */
interface Fact {
  /** When it was written last, or of an `$initial_…` property first, in microseconds. */
  at: number
  /** The value of that time, as JSON; NOTHING if it was unset. */
  value: string
  /** Digests of all its values, in the order in which they were written first. */
  digests: string[]
}

type Facts = Map<string, Fact>

/** What a history writes on the person of a distinct id. */
export interface PersonFacts {
  /** By `$set` and `$unset`: the last value counts. */
  readonly set: Facts
  /** By `$set_once`, of the properties that are named `$initial_…`: the first value counts. */
  readonly initial: Facts
}

type Rule = (at: number, known: Fact) => boolean
const LAST: Rule = (at, known) => at >= known.at
const FIRST: Rule = (at, known) => at < known.at

export function newFacts(): PersonFacts {
  return { set: new Map(), initial: new Map() }
}

/** Adds what one event writes, after those before it. Returns how many characters the facts grew by, roughly. */
export function addWrites(facts: PersonFacts, { set, setOnce, unset }: PersonWrites, at: number): number {
  const factOf = (value: unknown): Fact => ({
    at,
    value: exactJson(value),
    digests: [digestOf(jsonOf(value))],
  })
  let grown = 0
  for (const [name, value] of Object.entries(set)) grown += add(facts.set, name, factOf(value), LAST)
  for (const name of unset)
    grown += add(facts.set, name, { at, value: NOTHING, digests: [digestOf(NOTHING)] }, LAST)
  for (const [name, value] of Object.entries(setOnce))
    if (name.startsWith(INITIAL)) grown += add(facts.initial, name, factOf(value), FIRST)
  return grown
}

/** The facts of all shares of a person's events, each as `encodeFacts` wrote it. */
export function mergedFacts(texts: readonly string[]): PersonFacts {
  const all = newFacts()
  for (const text of texts) {
    const { set, initial } = decodeFacts(text)
    for (const [name, fact] of set) add(all.set, name, fact, LAST)
    for (const [name, fact] of initial) add(all.initial, name, fact, FIRST)
  }
  return all
}

function add(facts: Facts, name: string, fact: Fact, wins: Rule): number {
  const known = facts.get(name)
  if (!known) {
    facts.set(name, { ...fact, digests: [...fact.digests] })
    return name.length + fact.value.length + ENTRY
  }
  let grown = 0
  for (const digest of fact.digests) if (addDigest(known.digests, digest)) grown += DIGEST_LETTERS
  if (wins(fact.at, known)) Object.assign(known, { at: fact.at, value: fact.value })
  return grown
}

/** A property with its fact: lists, since a property can have any name, `__proto__` too. */
type FactRow = readonly [name: string, at: number, value: string, digests: string[]]

/** Facts as one line of JSON. */
export function encodeFacts({ set, initial }: PersonFacts): string {
  const rows = (facts: Facts) =>
    [...facts].map(([name, { at, value, digests }]) => [name, at, value, digests])
  return JSON.stringify({ set: rows(set), initial: rows(initial) })
}

/** Facts as `encodeFacts` wrote them. */
export function decodeFacts(text: string): PersonFacts {
  const { set, initial } = JSON.parse(text) as Record<keyof PersonFacts, FactRow[]>
  const facts = (rows: FactRow[]): Facts =>
    new Map(rows.map(([name, at, value, digests]) => [name, { at, value, digests }]))
  return { set: facts(set), initial: facts(initial) }
}

/** True if the history wrote this value; `undefined` is what `$unset` leaves. */
export function hasWritten({ digests }: Pick<Fact, 'digests'>, value: unknown): boolean {
  return digests.includes(digestOf(value === undefined ? NOTHING : jsonOf(value)))
}

/** JSON in one spelling, so that values that are equal in the service are equal texts: it holds doubles, and no NUL. */
export function jsonOf(value: unknown): string {
  return canonicalJson(roundedJson(value).replaceAll('\\u0000', '\ufffd'))
}

/** What an entry costs besides its texts. */
const ENTRY = 150

function addDigest(digests: string[], digest: string): boolean {
  // Most events repeat the value before.
  if (digests.at(-1) === digest || digests.includes(digest)) return false
  digests.push(digest)
  if (digests.length > MOST_DIGESTS) digests.shift()
  return true
}

/** A short text is its own digest. */
function digestOf(json: string): string {
  if (json.length <= DIGEST_LETTERS) return json
  return `#${createHash('sha1').update(json).digest('base64').slice(0, DIGEST_LETTERS)}`
}
