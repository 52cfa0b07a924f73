import {
  DistinctCount,
  emptyInventory,
  emptyNotes,
  headId,
  type Inventory,
  InventorySum,
  LineFramer,
  NameTable,
  sketchHash,
} from '../../record/index.ts'
import { openStore } from '../../store/index.ts'
import { sum } from '../../text/index.ts'
import { linkLine } from '../generate.ts'
import type { Job, SplitOrder } from '../job.ts'
import { forgetLostDays, type Journal } from '../journal.ts'
import type { KnownLink } from '../links.ts'
import { type Finished, finishDataset } from '../seal/finish.ts'
import { arrivalIn } from '../seal/journal-lines.ts'
import { type PieceHost, splitName, type Task } from '../task.ts'
import type { SplitShare, Transformed, TransformRunOptions } from '../transform-tally.ts'
import { EventIds, hashOfGroup } from './event-ids.ts'
import { type DatasetOfSlot, destinationOf, PersonSets } from './person-sets.ts'
import { type DayParts, SealedDays } from './sealed-days.ts'
import { type ShareSize, shareCounts } from './share-counts.ts'
import type { DayShare } from './split-day.ts'
import { splitPlaces, splitWords } from './split-places.ts'

/*
 * Divides the events of a transform among several datasets, so that all events of a person are in one of them, and all
 * changes of a group too. Each is whole in itself: imports of them can run side by side, on several machines.
 *
 * HOW. The days are sealed as ever, into the work folder. One reading of them finds which ids belong together
 * (person-sets.ts): ids that an event links, and a group with whoever changed it. A set of ids goes to a dataset by its hash.
 * Then each dataset copies its lines of each day, a piece of work for a worker, which the journal remembers. A day is read
 * once for each dataset: writing to all at once would take memory, and a connection of a bucket, for each.
 *
 * WHAT IT PROVES. A line is in the one dataset that its distinct_id's set has, as the bytes that were sealed. The order
 * within a day is kept, and so is that of a person's events. The counts of the manifests add up to those of the transform.
 */

/** Shares of days that a worker copies at the same time: most of the time a small one waits for the disk. */
const AT_ONCE = 4

/** A transform whose days are sealed. */
export interface SealedWhole extends Pick<Finished, 'rejects' | 'links'> {
  readonly job: Job
  readonly days: readonly DayParts[]
  readonly result: Transformed
}

/** How the work is done. */
export interface SplitTools {
  readonly journal: Journal
  readonly options: TransformRunOptions
  readonly host: PieceHost
  progress(bytes: number): void
}

/** Bytes that `readings` of the days, and copying them, read or write, for its progress. */
export function splitBytes(days: SealedWhole['days'], readings = 1): number {
  return (1 + readings) * sum(days.flatMap(({ parts }) => parts.map(({ bytes }) => bytes)))
}

/** Makes the datasets. What an earlier run has done is not done again. */
export async function splitPeople(
  whole: SealedWhole,
  order: SplitOrder,
  tools: SplitTools,
): Promise<SplitShare[]> {
  const { job } = whole
  const { journal, options } = tools
  const places = splitPlaces(order)
  for (const [dataset, place] of places.entries())
    await forgetLostDays(journal, await openStore(place), splitName(dataset, ''))
  const table = await dividedIn(whole, tools, places.length)
  await options.look()
  const copied = await copyDays(whole, { places, whose: table }, tools)
  const counts = shareCounts(whole.result, copied)
  const destinationIn = (link: KnownLink) =>
    destinationOf(table, 'anonymous' in link ? sketchHash(link.anonymous) : hashOfGroup(link))
  for (const [dataset, out] of places.entries()) {
    await options.look()
    const { finished, inventory } = copied[dataset]!
    const result = { ...whole.result, ...counts[dataset]!, ...ofRecords(whole.result, dataset, inventory) }
    const links = await someLinks(whole, (link) => destinationIn(link) === dataset)
    const source = { ...options.source, ...splitWords(dataset, places.length) }
    await finishDataset({ ...job, out }, { ...finished, ...links }, result, { tool: options.tool, source })
  }
  return copied.map(({ out, events, parts, days }) => ({ out, events, parts, days }))
}

/** Where events are copied to, and by what it is told which go where. */
interface CopyOrder {
  readonly places: readonly string[]
  readonly whose: SplitTask['whose']
}

/** What became of one dataset's events. */
export interface CopiedShare extends SplitShare, ShareSize {
  readonly finished: Pick<Finished, 'days' | 'names' | 'rejects' | 'cells'>
  readonly inventory: Inventory
}

type SplitTask = Task & { readonly type: 'split' }

/** Copies each dataset's events of all days. */
export async function copyDays(
  { days, rejects }: SealedWhole,
  { places, whose }: CopyOrder,
  { journal, host }: SplitTools,
): Promise<CopiedShare[]> {
  const sums = places.map(() => new ShareSum())
  const tasks = days.flatMap(({ day, parts }) =>
    places.map((out, dataset): SplitTask => ({ type: 'split', day, dataset, out, parts, whose })),
  )
  // What a day says of names and members is added up at once: those of many days would take much memory.
  const shares = await host.all<DayShare>(tasks, {
    each: (share) => sums[share.dataset]!.add(share),
    atOnce: AT_ONCE,
  })
  return places.map((out, dataset) => {
    const { events, generated } = sums[dataset]!
    const { names, inventory } = sums[dataset]!.take()
    const own = tasks.flatMap(({ day, dataset: of }, index) =>
      of === dataset ? [{ day, ...madeOf(shares[index]!) }] : [],
    )
    const cells = () =>
      arrivalIn(
        journal,
        own.map(({ day }) => splitName(dataset, day)),
      )
    const parts = sum(own.map((day) => day.parts.length))
    const dayCount = own.filter((day) => day.parts.length > 0).length
    return {
      out,
      events,
      generated,
      parts,
      days: dayCount,
      finished: { days: own, names, rejects, cells },
      inventory,
    }
  })
}

/** Finds what belongs together, in one reading of all events. Code `mismatch` if a sealed part was changed since. */
async function dividedIn(
  { job, days, result }: SealedWhole,
  tools: SplitTools,
  datasets: number,
): Promise<DatasetOfSlot> {
  const count = new DistinctCount()
  count.addText(result.inventory.distinct_ids)
  const sets = new PersonSets(count.estimate)
  const ids = new EventIds(job.groupEventName)
  await new SealedDays(job.out, days, tools).read((line, head) => {
    const linked = ids.linkedIn(line, head)
    if (linked !== undefined) sets.link(sketchHash(headId(line, head)), linked)
  })
  return sets.divide(datasets)
}

/** Sums over one dataset's days. */
class ShareSum {
  events = 0
  generated = 0
  readonly #names = new NameTable<number>((a, b) => a + b)
  readonly #inventory = new InventorySum()

  /** Returns the share without what was added. */
  add(share: DayShare): DayShare {
    this.events += share.events
    this.generated += share.generated
    for (const [name, events] of Object.entries(share.names)) this.#names.add(name, events)
    this.#names.addOthers(share.others)
    this.#inventory.add(share.inventory)
    return { ...share, names: {}, arrival: [], inventory: emptyInventory() }
  }

  take() {
    return { names: this.#names.take(), inventory: this.#inventory.take() }
  }
}

/** What is said of records, not of events, stands in the first dataset. */
export function ofRecords(
  { rejects, filtered, notes, inventory: whole }: Transformed,
  dataset: number,
  own: Inventory,
): Pick<Transformed, 'rejects' | 'filtered' | 'notes' | 'inventory'> {
  const inventory = {
    ...own,
    group_types: asOldAs(whole.group_types, own.group_types),
    groups: asOldAs(whole.groups, own.groups),
  }
  if (dataset > 0)
    return { rejects: {}, filtered: {}, notes: { ...emptyNotes(), import_ids: notes.import_ids }, inventory }
  const { members, other_members } = whole
  return { rejects, filtered, notes, inventory: { ...inventory, members, other_members } }
}

/**
 * Group types with the time of the oldest event in any of the datasets. The import that is first makes the type as of that
 * time: made as of its own oldest event, older ones of the other datasets would never show their groups.
 */
function asOldAs(whole: Inventory['groups'], own: Inventory['groups']): Inventory['groups'] {
  return Object.fromEntries(
    Object.entries(own).map(([type, { events, oldest }]) => [
      type,
      { events, oldest: Math.min(oldest, whole[type]?.oldest ?? oldest) },
    ]),
  )
}

/** In a manifest the written of a day are without the generated. Of a day apart nobody asks which these are. */
function madeOf({ parts, events }: DayShare) {
  return { parts, written: events, generated: 0 }
}

/** Some lines of links.ndjson, and how many. */
export async function someLinks(
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
