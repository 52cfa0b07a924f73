import { emptyInventory, type Inventory, InventorySum } from '../../record/inventory.ts'
import { LineFramer } from '../../record/lines.ts'
import { NameTable, NOT_IN_TRIAL } from '../../record/notes.ts'
import { openStore } from '../../store/open.ts'
import { sum } from '../../text/lists.ts'
import { linkLine } from '../generate.ts'
import type { Job } from '../job.ts'
import { forgetLostDays, type Journal } from '../journal.ts'
import type { KnownLink } from '../links.ts'
import { arrivalIn, type Finished, finishDataset } from '../seal/finish.ts'
import { type DoPieces, type Task, trialName } from '../task.ts'
import type { Transformed, TransformRunOptions } from '../transform-tally.ts'
import { choosePeople, type DayParts, readSealed } from './choose-people.ts'
import { ChosenLines } from './event-ids.ts'
import type { TrialDay } from './trial-day.ts'
import type { ChosenPeople, TrialOrder } from './trial-order.ts'

/** How often the sealed days are read: twice to choose people, once to copy their events. */
const READINGS = 3
/** Days that a worker copies at the same time: most of the time a small one waits for the disk. */
const AT_ONCE = 4

interface SealedWhole extends Pick<Finished, 'rejects' | 'links'> {
  readonly job: Job
  readonly days: readonly DayParts[]
  readonly result: Transformed
}

interface TrialTools {
  readonly journal: Journal
  readonly options: TransformRunOptions
  readonly doPieces: DoPieces
  progress(bytes: number): void
}

export function trialBytes(days: SealedWhole['days']): number {
  return READINGS * sum(days.flatMap(({ parts }) => parts.map(({ bytes }) => bytes)))
}

/**
 * Makes a trial of the whole that is sealed into the work folder: copies the events of the people who are chosen, as the bytes
 * that were sealed. The records of all others count as filtered. What an earlier run has done is not done again.
 */
export async function makeTrial(
  whole: SealedWhole,
  order: TrialOrder,
  tools: TrialTools,
): Promise<Transformed> {
  const { job, days, result } = whole
  const { journal, options } = tools
  const { out, by, most } = order
  await forgetLostDays(journal, await openStore(out), trialName(''))
  const { chosen, people } = await choosePeople(
    order,
    (each) => readSealed(job.out, days, tools, each),
    result.inventory.distinct_ids,
  )
  await options.look()
  const copied = await copyDays(whole, chosen, tools)
  const made = trialResult(result, copied)
  const lines = new ChosenLines(chosen)
  const links = await someLinks(whole, (link) =>
    'anonymous' in link ? lines.hasId(link.anonymous) : lines.hasGroup(link),
  )
  await options.look()
  const wholeEvents = result.counts.written + result.counts.generated
  const trial = { people, whole_events: wholeEvents }
  await finishDataset({ ...job, out }, { ...copied.finished, ...links }, made, {
    ...options,
    trial: { by, most, ...trial, whole_import_id: order.wholeId },
  })
  return { ...made, days: copied.days, parts: copied.parts, trial }
}

async function copyDays({ days, rejects }: SealedWhole, people: ChosenPeople, tools: TrialTools) {
  const { journal, doPieces } = tools
  const sums = new DaySum()
  const tasks = days.map(({ day, parts }): Task => ({ type: 'trial', day, parts, people }))
  // What a day says of names and members is added up at once: those of many days would take much memory.
  const copied = await doPieces<TrialDay>(tasks, { each: (day) => sums.add(day), atOnce: AT_ONCE })
  // In a manifest the written of a day are without the generated. Of a day of a trial nobody asks which these are.
  const made = days.map(({ day }, index) => {
    const { parts, events } = copied[index]!
    return { day, parts, written: events, generated: 0 }
  })
  const { names, inventory } = sums.take()
  const cells = () =>
    arrivalIn(
      journal,
      days.map(({ day }) => trialName(day)),
    )
  return {
    events: sums.events,
    generated: sums.generated,
    parts: sum(made.map(({ parts }) => parts.length)),
    days: made.filter(({ parts }) => parts.length > 0).length,
    finished: { days: made, names, rejects, cells },
    inventory,
  }
}

type Copied = Awaited<ReturnType<typeof copyDays>>

/** Sums over the days of a trial. */
class DaySum {
  events = 0
  generated = 0
  readonly #names = new NameTable<number>((a, b) => a + b)
  readonly #inventory = new InventorySum()

  /** Returns the day without what was added. */
  add(day: TrialDay): TrialDay {
    this.events += day.events
    this.generated += day.generated
    for (const [name, events] of Object.entries(day.names)) this.#names.add(name, events)
    this.#names.addOthers(day.others)
    this.#inventory.add(day.inventory)
    return { ...day, names: {}, arrival: [], inventory: emptyInventory() }
  }

  take() {
    return { names: this.#names.take(), inventory: this.#inventory.take() }
  }
}

/** The counts of the whole, of whose written records those of other people are filtered. */
function trialResult(whole: Transformed, { events, generated: seen, inventory: own }: Copied): Transformed {
  const { counts, filtered, inventory } = whole
  const generated = Math.min(seen, counts.generated)
  const written = events - generated
  const others = counts.written - written
  return {
    ...whole,
    // What is said of records is said of all that were read.
    inventory: {
      ...own,
      members: inventory.members,
      other_members: inventory.other_members,
      group_types: asOldAs(inventory.group_types, own.group_types),
      groups: asOldAs(inventory.groups, own.groups),
    },
    counts: { ...counts, written, generated, filtered: counts.filtered + others },
    filtered: others > 0 ? { ...filtered, [NOT_IN_TRIAL]: others } : filtered,
  }
}

/**
 * Group types with the time of the oldest event of the whole, as of which the import makes them. If the whole went into the same
 * project later, its events before the trial's would never show their groups.
 */
function asOldAs(whole: Inventory['groups'], own: Inventory['groups']): Inventory['groups'] {
  return Object.fromEntries(
    Object.entries(own).map(([type, { events, oldest }]) => [
      type,
      { events, oldest: Math.min(oldest, whole[type]?.oldest ?? oldest) },
    ]),
  )
}

async function someLinks(
  whole: Pick<SealedWhole, 'links'>,
  isOne: (link: KnownLink) => boolean,
): Promise<Pick<Finished, 'links' | 'linkCount'>> {
  async function* chosen(): AsyncGenerator<Buffer> {
    for await (const link of linksOf(whole)) if (isOne(link)) yield Buffer.from(linkLine(link))
  }
  let linkCount = 0
  for await (const _ of chosen()) linkCount++
  return { links: chosen, linkCount }
}

async function* linksOf(whole: Pick<SealedWhole, 'links'>): AsyncGenerator<KnownLink> {
  const some: KnownLink[] = []
  const framer = new LineFramer({
    line: (bytes, start, end) => some.push(JSON.parse(bytes.toString('utf8', start, end)) as KnownLink),
    tooLong() {},
  })
  for await (const chunk of whole.links()) {
    framer.push(chunk)
    yield* some.splice(0)
  }
  framer.end()
  yield* some
}
