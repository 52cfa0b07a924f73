import { Fingerprint } from '../record/fingerprint.ts'
import { GROUP_EVENT, GROUP_EVENT_NAMES } from '../record/group-event.ts'
import type { InputCell, VerifyInput } from './verify-input.ts'

/** The events of a name that should be in the service on a day. */
export interface ExpectedCell {
  /** All inputs together, as if they shared no event. */
  readonly events: Fingerprint
  /** How many inputs have such events: two or more may share some. */
  readonly inputs: number
}

/** What should be in the service on a UTC day. */
export interface ExpectedDay {
  readonly day: string
  /** The day has too many names: its one cell, under null, is of all its events. */
  readonly whole: boolean
  /** The cells have fingerprints; otherwise only counts. */
  readonly exact: boolean
  /** The values of `$import_job_id` that tell its events apart; null for all events of the project. */
  readonly importIds: readonly string[] | null
  readonly cells: ReadonlyMap<string | null, ExpectedCell>
}

/** The name under which the service's events are compared: group events have either of two names. */
export function nameInService(name: string): string {
  return GROUP_EVENT_NAMES.includes(name) ? GROUP_EVENT : name.replaceAll('\0', '\ufffd')
}

/** The names of events in the service that are compared under `name`. */
export function namesInService(name: string): readonly string[] {
  return name === GROUP_EVENT ? GROUP_EVENT_NAMES : [name]
}

/** What all inputs together should have brought, day by day in order. */
export function expectedDays(inputs: readonly VerifyInput[]): ExpectedDay[] {
  const days = new Map<string, { input: VerifyInput; cell: InputCell }[]>()
  for (const input of inputs) {
    for (const cell of input.cells) {
      const found = days.get(cell.day)
      if (found) found.push({ input, cell })
      else days.set(cell.day, [{ input, cell }])
    }
  }
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, entries]) => {
      const own = [...new Set(entries.map(({ input }) => input))]
      const whole = entries.some(({ cell }) => cell.event === null)
      return {
        day,
        whole,
        exact: own.every(({ exact }) => exact),
        importIds: idsOf(own),
        cells: cellsOf(entries, whole),
      }
    })
}

function idsOf(inputs: readonly VerifyInput[]): readonly string[] | null {
  const ids = new Set<string>()
  for (const { importIds } of inputs) {
    if (importIds === null) return null
    for (const id of importIds) ids.add(id)
  }
  return [...ids].sort()
}

function cellsOf(
  entries: readonly { input: VerifyInput; cell: InputCell }[],
  whole: boolean,
): Map<string | null, ExpectedCell> {
  const cells = new Map<string | null, { events: Fingerprint; from: Set<VerifyInput> }>()
  for (const { input, cell } of entries) {
    const name = whole ? null : nameInService(cell.event!)
    const known = cells.get(name) ?? { events: new Fingerprint(), from: new Set() }
    cells.set(name, known)
    known.events.merge(cell.events)
    known.from.add(input)
  }
  return new Map(
    [...cells]
      .sort(([a], [b]) => (a! < b! ? -1 : 1))
      .map(([name, { events, from }]) => [name, { events, inputs: from.size }]),
  )
}
