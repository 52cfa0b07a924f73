import { cellKey, expectedDays, nameInService } from '../../checks/expected.ts'
import type { VerifyInput } from '../../checks/verify-input.ts'
import { causeText, warningText } from '../../checks/words/warnings.ts'
import type { Verified } from '../../imports/verified.ts'
import { mostFirst } from '../../text/words.ts'
import { boundLabels, cutText } from './bounds.ts'
import { DayNames, MOST_SERIES } from './day-names.ts'
import type { DaysPart, ProofCell, ProofPart, ProofState } from './report-data.ts'

/** Names that have a row of their own. */
export const MOST_PROOF_NAMES = 24
const MOST_DIFFERENCES = 100
const MOST_TEXTS = 20

/** The worst first. */
const STATES: readonly ProofState[] = ['fewer', 'other', 'more', 'unknown', 'same']

type Difference = Verified['found']['differences'][number]

interface Square {
  state: ProofState
  here: number
  there: number
}

/**
 * What a verify found, cell by cell. It keeps the cells that differ; those of the datasets that it does not name are equal.
 * `add` takes the cells of the datasets, day by day.
 */
export class Proof {
  readonly #verified: Verified
  /** The names with a row, by what they are called in the service. */
  readonly #names: ReadonlyMap<string, string>
  readonly #differences: Map<string, Difference>
  readonly #rows = new Map<string | null, Map<string, Square>>()
  readonly #states: Record<ProofState, number> = { fewer: 0, other: 0, more: 0, unknown: 0, same: 0 }
  /** What the service has. */
  readonly #there: DayNames
  readonly #seen = new Set<string>()
  /** By day and name: several datasets can have the same cell. */
  #day: { readonly day: string; readonly cells: Map<string | null, number> } | undefined

  /** `names`: those that get a row, most first. `series`: how many of them get a series in the chart of days. */
  constructor(verified: Verified, names: readonly string[], series: number) {
    this.#verified = verified
    const named = [...new Set(names.map(nameInService))].slice(0, MOST_PROOF_NAMES)
    this.#names = boundLabels(named)
    this.#there = new DayNames(named.slice(0, series))
    this.#differences = new Map(
      verified.found.differences.map((one) => [cellKey(one.day, one.event), one] as const),
    )
  }

  /** Takes in a cell of the datasets. All cells of a day come one after the other. `event` null: all of the day. */
  add(day: string, event: string | null, here: number): void {
    if (this.#day?.day !== day) {
      this.#endDay()
      this.#day = { day, cells: new Map() }
    }
    const { cells } = this.#day
    const name = event === null ? null : nameInService(event)
    cells.set(name, (cells.get(name) ?? 0) + here)
  }

  /** The proof, and the days as the service has them. `otherNames`: how many names have no row, if that is known. */
  parts(otherNames: number | undefined): { readonly proof: ProofPart; readonly there: DayNames } {
    this.#endDay()
    for (const [key, difference] of this.#differences) if (!this.#seen.has(key)) this.#differ(difference)
    const { found, asked_at, host, project } = this.#verified
    const { equal, events, differences, missing_file, values } = found
    const cells = [...this.#rows].flatMap(([name, squares]) =>
      [...squares].map(([day, square]): ProofCell => ({ day, name: name, ...square })),
    )
    const hasOthers = this.#rows.has(null)
    return {
      there: this.#there,
      proof: {
        ...{ asked_at, host, project, equal, events, missing_file },
        cells: cells.sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0)),
        names: [
          ...[...this.#names.values()].filter((name) => this.#rows.has(name)),
          ...(hasOthers ? [null] : []),
        ],
        // 0: what is there besides has names that no dataset has.
        ...(hasOthers && otherNames && { otherNames }),
        states: this.#states,
        differences: differences.slice(0, MOST_DIFFERENCES).map(withCutName),
        moreDifferences: Math.max(0, differences.length - MOST_DIFFERENCES),
        values: values && { compared: values.compared, absent: values.absent, changed: values.changed },
        unasked: shownTexts([...found.unasked, ...unaskedWarnings(found)]),
        causes: shownTexts(found.likely_causes.map(causeText)),
        warnings: shownTexts((found.ingestion_warnings?.types ?? []).map(warningText)),
      },
    }
  }

  #endDay(): void {
    if (!this.#day) return
    const { day, cells } = this.#day
    this.#day = undefined
    const whole = cells.has(null) ? undefined : this.#differences.get(cellKey(day, null))
    if (whole) {
      // Its events are those of the squares below: a square of its own would count them again.
      this.#seen.add(cellKey(day, null))
      this.#there.add(day, null, whole.service)
    }
    for (const [name, here] of cells) {
      const difference = this.#differences.get(cellKey(day, name))
      if (difference) this.#differ(difference)
      // All that is known of the names of such a day is that they differ together.
      else if (whole) this.#put(day, name, { state: 'unknown', here, there: 0 })
      else this.#put(day, name, { state: 'same', here, there: here })
    }
  }

  #differ(difference: Difference): void {
    const { day, event, here, service: there } = difference
    this.#seen.add(cellKey(day, event))
    const state = there < here ? 'fewer' : there > here ? 'more' : 'other'
    this.#put(day, event, { state, here, there })
  }

  #put(day: string, event: string | null, square: Square): void {
    this.#states[square.state]++
    if (square.there > 0) this.#there.add(day, event, square.there)
    const name = (event === null ? undefined : this.#names.get(event)) ?? null
    const row = this.#rows.get(name) ?? new Map<string, Square>()
    this.#rows.set(name, row)
    const at = this.#there.byMonth ? `${day.slice(0, 7)}-01` : day
    const known = row.get(at)
    if (!known) {
      row.set(at, { ...square })
      return
    }
    known.here += square.here
    known.there += square.there
    if (STATES.indexOf(square.state) < STATES.indexOf(known.state)) known.state = square.state
  }
}

function withCutName(difference: Difference): Difference {
  return { ...difference, event: difference.event && cutText(difference.event) }
}

function shownTexts(texts: readonly string[]): string[] {
  return texts.slice(0, MOST_TEXTS).map((text) => cutText(text))
}

function unaskedWarnings({ ingestion_warnings: warnings }: Verified['found']): string[] {
  return warnings?.unasked == null ? [] : [`ingestion warnings: ${warnings.unasked}`]
}

/** Names that are told apart while the most frequent are looked for. */
const MOST_NAMES = 20_000

interface Names {
  /** Most first. */
  readonly names: readonly string[]
  /** How many there are; undefined if some are not told apart. */
  readonly all: number | undefined
}

/** The names of the events, as the service has them. */
export async function namesOf(inputs: readonly VerifyInput[]): Promise<Names> {
  const sums = new Map<string, number>()
  let isWhole = true
  for await (const { cells } of expectedDays(inputs)) {
    for (const [name, { events }] of cells) {
      if (name === null || (!sums.has(name) && sums.size >= MOST_NAMES)) isWhole = false
      else sums.set(name, (sums.get(name) ?? 0) + events.count)
    }
  }
  return { names: mostFirst([...sums]).map(([name]) => name), all: isWhole ? sums.size : undefined }
}

/** Events of the datasets by day and name. An event that several of them have counts once in each. */
export async function datasetDays(inputs: readonly VerifyInput[], { names, all }: Names): Promise<DaysPart> {
  const days = new DayNames(names.slice(0, MOST_SERIES))
  for await (const { day, cells } of expectedDays(inputs))
    for (const [name, { events }] of cells) days.add(day, name, events.count)
  const meaning = 'Events of the datasets, by the time at which they happened.'
  return days.part({ place: 'dataset', unit: 'events', meaning }, othersOf(all, MOST_SERIES))
}

/** What a verify found, cell by cell, and the days as the service has them. */
export async function proofOf(
  verified: Verified,
  inputs: readonly VerifyInput[],
  { names, all }: Names,
): Promise<{ proof: ProofPart; days: DaysPart; byMonth: boolean }> {
  const proof = new Proof(verified, names, MOST_SERIES)
  for await (const { day, cells } of expectedDays(inputs))
    for (const [name, { events }] of cells) proof.add(day, name, events.count)
  const parts = proof.parts(othersOf(all, MOST_PROOF_NAMES))
  const meaning = `Events of the datasets' names in PostHog, as of ${verified.asked_at.slice(0, 16).replace('T', ' ')} UTC.`
  const days = parts.there.part({ place: 'service', unit: 'events', meaning }, othersOf(all, MOST_SERIES))
  return { proof: parts.proof, days, byMonth: parts.there.byMonth }
}

function othersOf(all: number | undefined, shown: number): number | undefined {
  return all === undefined ? undefined : Math.max(0, all - shown)
}
