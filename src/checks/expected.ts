import { Fingerprint, nameInService } from '../record/fingerprint.ts'
import { GROUP_EVENT, GROUP_EVENT_NAMES } from '../record/rules.ts'
import { MS_PER_DAY } from '../text/units.ts'
import type { InputCell, InputDay, VerifyInput } from './verify-input.ts'

/** The events of a name that should be in the service on a day. */
export interface ExpectedCell {
  /** All inputs together, as if they shared no event. */
  readonly events: Fingerprint
  /** How many inputs have such events: two or more may share some. */
  readonly inputs: number
}

/** A UTC day on which events should be in the service. */
export interface DayFrame {
  readonly day: string
  /** The values of `$import_job_id` that tell its events apart; null for all events of the project. */
  readonly importIds: readonly string[] | null
}

/** What should be in the service on a UTC day. */
export interface ExpectedDay extends DayFrame {
  /** The day has too many names: its one cell, under null, is of all its events. */
  readonly whole: boolean
  readonly cells: ReadonlyMap<string | null, ExpectedCell>
}

/** The names of events in the service that are compared under `name`. */
export function namesInService(name: string): readonly string[] {
  return name === GROUP_EVENT ? GROUP_EVENT_NAMES : [name]
}

/** What tells a day and a name from others, as one text; of all of a day where the name is null. */
export function cellKey(day: string, event: string | null): string {
  return event === null ? day : `${day} ${event}`
}

/** The days on which all inputs together should have brought events, in order. */
export function expectedFrames(inputs: readonly VerifyInput[]): DayFrame[] {
  const days = new Set(inputs.flatMap(({ sums }) => [...sums.days.keys()]))
  const having = (day: string) => inputs.filter(({ sums }) => sums.days.has(day))
  return [...days].sort().map((day) => frameOf(day, having(day)))
}

/** What all inputs together should have brought, day by day in order. Memory holds one day of each input. */
export async function* expectedDays(inputs: readonly VerifyInput[]): AsyncGenerator<ExpectedDay> {
  const heads = inputs.map((input) => {
    return { input, days: input.readDays()[Symbol.asyncIterator](), at: undefined as InputDay | undefined }
  })
  try {
    for (const head of heads) head.at = (await head.days.next()).value
    for (;;) {
      const [day] = heads.flatMap(({ at }) => at?.day ?? []).sort()
      if (day === undefined) return
      const own = heads.filter(({ at }) => at?.day === day)
      const entries = own.map(({ input, at }) => ({ input, cells: at!.cells }))
      const whole = entries.some(({ cells }) => cells.some(({ event }) => event === null))
      const frame = frameOf(
        day,
        own.map(({ input }) => input),
      )
      yield { ...frame, whole, cells: cellsOf(entries, whole) }
      for (const head of own) head.at = (await head.days.next()).value
    }
  } finally {
    for (const { days } of heads) await days.return?.()
  }
}

function frameOf(day: string, inputs: readonly VerifyInput[]): DayFrame {
  return { day, importIds: allIds(inputs) }
}

/** The ids of all together; null where some have no ids. */
export function allIds(inputs: readonly Pick<DayFrame, 'importIds'>[]): readonly string[] | null {
  const ids = inputs.map(({ importIds }) => importIds)
  return ids.includes(null) ? null : [...new Set(ids.flatMap((own) => own ?? []))].sort()
}

function cellsOf(
  entries: readonly { readonly input: VerifyInput; readonly cells: readonly InputCell[] }[],
  whole: boolean,
): Map<string | null, ExpectedCell> {
  const cells = new Map<string | null, ExpectedCell & { readonly last: VerifyInput }>()
  for (const { input, cells: own } of entries) {
    for (const cell of own) {
      const name = whole ? null : nameInService(cell.event!)
      const known = cells.get(name)
      // Most cells are of one input, and there are many: they are taken as they are.
      if (!known) cells.set(name, { events: cell.events, inputs: 1, last: input })
      else {
        const events = new Fingerprint()
        events.merge(known.events)
        events.merge(cell.events)
        cells.set(name, { events, inputs: known.inputs + (known.last === input ? 0 : 1), last: input })
      }
    }
  }
  return new Map([...cells].sort(([a], [b]) => (a! < b! ? -1 : 1)))
}

/** Days that one query asks for: all with names or all without, and told apart by the same ids. */
export interface AskedWindow {
  readonly first: string
  readonly last: string
  readonly whole: boolean
  readonly importIds: readonly string[] | null
  readonly days: readonly ExpectedDay[]
}

/** The service answers each query within about 10 seconds, and with 50,000 rows at most; memory holds what both sides have. */
const MOST_EVENTS = 500_000
const MOST_CELLS = 20_000
/** A gap longer than this is worth another query. */
const MOST_GAP_DAYS = 31

/** The windows of these days, which are in order. A day is never in two. */
export async function* windowsOf(
  days: AsyncIterable<ExpectedDay>,
  mostEvents = MOST_EVENTS,
): AsyncGenerator<AskedWindow> {
  let current: ExpectedDay[] = []
  let [events, cells] = [0, 0]
  for await (const day of days) {
    const own = [...day.cells.values()].reduce((sum, cell) => sum + cell.events.count, 0)
    const last = current.at(-1)
    const isFull = events + own > mostEvents || cells + day.cells.size > MOST_CELLS
    if (last && (isFull || !belongs(last, day))) {
      yield windowOf(current)
      current = []
      events = 0
      cells = 0
    }
    current.push(day)
    events += own
    cells += day.cells.size
  }
  if (current.length > 0) yield windowOf(current)
}

function windowOf(days: readonly ExpectedDay[]): AskedWindow {
  const [first] = days
  const { day, whole, importIds } = first!
  return { first: day, last: days.at(-1)!.day, whole, importIds, days }
}

function belongs(last: ExpectedDay, next: ExpectedDay): boolean {
  return (
    last.whole === next.whole &&
    last.importIds?.join() === next.importIds?.join() &&
    Date.parse(next.day) - Date.parse(last.day) <= MOST_GAP_DAYS * MS_PER_DAY
  )
}
