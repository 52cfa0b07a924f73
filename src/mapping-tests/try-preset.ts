import type { Preset } from '../mapping/preset.ts'
import type { Engine } from '../pipeline/engine.ts'
import { conserved } from '../record/counts.ts'
import { elements, isJson, members } from '../record/json-values.ts'
import { countOne, sumOf } from '../record/notes.ts'
import { canonicalUuid } from '../record/uuid.ts'
import type { MadeLine } from '../transform/record-mapping.ts'
import { KINDS } from '../transform/run/frame.ts'
import {
  caseEngine,
  differencesOf,
  type Fixture,
  type FixtureMapped,
  mapFixture,
  unexpected,
} from './fixture-kit.ts'
import { lostValues, type Unseen } from './lost-values.ts'
import { type Breach, type PromiseName, TrialBook } from './promises.ts'
import type { Suite } from './read-suite.ts'
import { watchedPreset } from './watched-preset.ts'

/** Two zones of which one is never the machine's: a time that is read by the machine's zone differs. */
const ZONES = ['UTC', 'Pacific/Kiritimati'] as const
/** In microseconds. Milliseconds in their place are a day of January 1970. */
const YEAR_1971 = Date.UTC(1971) * 1000

/** Functions whose failure breaks a promise of their own. */
const OF_FUNCTION: Readonly<Record<string, PromiseName>> = { uuid: 'uuids', timestamp: 'times' }

/** Holds a preset against the promises that its cases can show. Where the clock is looked at and what fails is noted, too. */
export class PresetTrial {
  readonly book: TrialBook
  /** What became of the records of all cases, by reason. */
  readonly rejects: Record<string, number> = {}
  readonly filtered: Record<string, number> = {}
  readonly #preset: Preset
  readonly #watched: Preset
  #case: string | null = null
  #record: number | null = null

  constructor(preset: Preset, book = new TrialBook()) {
    this.book = book
    const { tried } = book
    this.#preset = preset
    this.#watched = watchedPreset(preset, {
      called: () => {
        tried.clock++
        tried.failures++
      },
      looked: (name, what) => this.#add('clock', `${name} calls ${what}`),
      failed: (name, why) => this.#add(OF_FUNCTION[name] ?? 'failures', why),
    })
  }

  /** Tries all cases, and then once more from the last to the first. */
  run({ cases, unseen }: Suite): void {
    const first = inZone(ZONES[0], () => cases.map((one) => this.#tryCase(one, unseen)))
    inZone(ZONES[1], () => {
      for (const [n, one] of [...cases.entries()].reverse()) this.#tryAgain(one, first[n]!)
    })
  }

  #tryCase(fixture: Fixture, unseen: Unseen): FixtureMapped {
    this.#case = fixture.name
    const records = [fixture.input].flat()
    // One by one first: what fails names its record then.
    const engine = caseEngine(this.#preset, fixture.options)
    const alone = records.map((record, n) => {
      this.#record = n + 1
      const made = this.#tryRecord(record, fixture)
      if (made.length > 0) this.#tryValues(engine, record, unseen)
      return made
    })
    this.#record = null
    const whole = this.#map(records, fixture)
    for (const text of unexpected(fixture, whole)) this.#add('cases', text)
    for (const [n, made] of alone.entries()) {
      this.#record = n + 1
      for (const { line } of made) if (!whole.lines.includes(line)) this.#addMemory(line, whole.lines)
    }
    this.#record = null
    this.#countRejects(whole)
    this.book.tried.cases++
    return whole
  }

  /** A record alone becomes an event that it doesn't become after others. */
  #addMemory(alone: string, lines: readonly string[]): void {
    const after = lines.find((line) => identityOf(line).uuid === identityOf(alone).uuid)
    const what = after === undefined ? [alone] : differencesOf([alone], [after])
    for (const one of what)
      this.#add('repeats', `alone it becomes another event than after other records: ${one}`)
  }

  #tryAgain(fixture: Fixture, first: FixtureMapped): void {
    this.#case = fixture.name
    const { lines } = this.#map([fixture.input].flat(), fixture)
    this.book.tried.repeats++
    const differences = differencesOf(lines, first.lines)
    if (differences.length === 0 && lines.join() !== first.lines.join())
      this.#add(
        'repeats',
        `when all cases run once more: the same members in other bytes: ${lines.join(' ')}`,
      )
    for (const difference of differences) {
      const isTime = difference.includes(': timestamp: ')
      const when = isTime ? `in the time zone ${ZONES[1]}` : 'when all cases run once more'
      this.#add(isTime ? 'times' : 'repeats', `${when}: ${difference}`)
    }
  }

  /** The events that a record becomes by itself. */
  #tryRecord(record: string, fixture: Fixture): readonly MadeLine[] {
    const { tried } = this.book
    const made = ownOf(this.#map([record], fixture))
    const turned = ownOf(this.#map([isJson(record) ? turnedRound(record) : record], fixture))
    for (const [n, one] of made.entries()) {
      tried.uuids++
      tried.times++
      const { uuid, timestamp } = identityOf(one.line)
      if (canonicalUuid(uuid) !== uuid) this.#add('uuids', `the uuid "${uuid}" is none`)
      if (one.instant < YEAR_1971) {
        this.#add('times', `the timestamp is ${timestamp}: it may be in milliseconds, not microseconds`)
      }
      const other = turned[n] ? identityOf(turned[n].line).uuid : 'none'
      // A uuid that posthaul makes is of the record's bytes.
      if (one.kind === KINDS.own && other !== uuid)
        this.#add('uuids', `the uuid is ${uuid}, and ${other} when the members are in another order`)
    }
    return made
  }

  #tryValues(engine: Engine, record: string, unseen: Unseen): void {
    const { values, lost } = lostValues(engine, record, unseen)
    this.book.tried.members += values
    for (const member of lost)
      this.#add('members', `${member} is in no event, and nothing says that it is left out`, member)
  }

  #countRejects({ rejects, reasons, filtered, counts }: FixtureMapped): void {
    this.book.tried.rejects += rejects.length
    for (const { line, reason, message } of rejects) {
      countOne(this.rejects, reason)
      this.#record = line
      if (!/\w+ \w+/.test(message)) this.#add('rejects', `${reason} is explained by no words: "${message}"`)
    }
    this.#record = null
    for (const [reason, count] of Object.entries(filtered))
      this.filtered[reason] = (this.filtered[reason] ?? 0) + count
    if (sumOf(reasons) !== rejects.length || !conserved(counts))
      this.#add('rejects', `not every record is counted: ${JSON.stringify({ ...counts, reasons })}`)
  }

  #map(records: readonly string[], { options }: Fixture): FixtureMapped {
    return mapFixture(this.#watched, records, options)
  }

  #add(promise: PromiseName, text: string, member: string | null = null): void {
    const breach: Breach = { promise, case: this.#case, record: this.#record, member, text }
    this.book.add(breach)
  }
}

/** The events of records themselves, without those that records show together. */
function ownOf({ made }: FixtureMapped): readonly MadeLine[] {
  return made.filter(({ kind }) => kind === KINDS.own || kind === KINDS.content)
}

function identityOf(line: string): { readonly uuid: string; readonly timestamp: string } {
  return JSON.parse(line) as { uuid: string; timestamp: string }
}

/** The same JSON with the members of each object from the last to the first. A name that comes twice counts by its place. */
function turnedRound(json: string): string {
  const text = json.trim()
  if (text.startsWith('[')) return `[${elements(text).map(turnedRound).join(',')}]`
  if (!text.startsWith('{')) return text
  const pairs = members(text)
  if (new Set(pairs.map(([name]) => name)).size < pairs.length) return text
  const turned = pairs.reverse().map(([name, value]) => `${JSON.stringify(name)}:${turnedRound(value)}`)
  return `{${turned.join(',')}}`
}

/** Runs `work` as a machine of that time zone would. */
function inZone<T>(zone: string, work: () => T): T {
  const { env } = process
  const { TZ: before } = env
  env.TZ = zone
  try {
    return work()
  } finally {
    if (before === undefined) delete env.TZ
    else env.TZ = before
  }
}
