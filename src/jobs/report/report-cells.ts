import { expectedDays, type Verified, type VerifyInput } from '../../checks/index.ts'
import { rankedBounds } from './bounds.ts'
import { DayNames, MOST_SERIES } from './day-names.ts'
import { MOST_PROOF_NAMES, Proof } from './proof.ts'
import type { DaysPart, ProofPart } from './report-data.ts'

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
  return { names: rankedBounds([...sums]).map(([name]) => name), all: isWhole ? sums.size : undefined }
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
