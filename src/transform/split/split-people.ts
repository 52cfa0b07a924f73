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
import { openStore, readParts } from '../../store/index.ts'
import { linkLine } from '../generate.ts'
import type { Job, SplitOrder } from '../job.ts'
import { forgetLostDays, type Journal } from '../journal.ts'
import type { KnownLink } from '../links.ts'
import { interruptedError } from '../pool.ts'
import type { SealedDay } from '../seal/day.ts'
import { type Finished, finishDataset } from '../seal/finish.ts'
import { arrivalIn } from '../seal/journal-lines.ts'
import { type PieceHost, splitName, type Task } from '../task.ts'
import type { SplitShare, Transformed, TransformRunOptions } from '../transform-tally.ts'
import { EventIds, hashOfGroup } from './event-ids.ts'
import { type DatasetOfSlot, destinationOf, PersonSets } from './person-sets.ts'
import { shareCounts } from './share-counts.ts'
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
  readonly job: Job & { readonly split: SplitOrder }
  readonly days: readonly (Pick<SealedDay, 'parts'> & { readonly day: number })[]
  readonly result: Transformed
}

/** How the work is done. */
export interface SplitTools {
  readonly journal: Journal
  readonly options: TransformRunOptions
  readonly host: PieceHost
  progress(bytes: number): void
}

/** Bytes that dividing reads or writes, for its progress. */
export function splitBytes(days: SealedWhole['days']): number {
  return 2 * sum(days.flatMap(({ parts }) => parts.map(({ bytes }) => bytes)))
}

/** Makes the datasets. What an earlier run has done is not done again. */
export async function splitPeople(whole: SealedWhole, tools: SplitTools): Promise<SplitShare[]> {
  const { job, days } = whole
  const { journal, options } = tools
  const places = splitPlaces(job.split)
  for (const [dataset, place] of places.entries())
    await forgetLostDays(journal, await openStore(place), splitName(dataset, ''))
  const table = await dividedIn(whole, tools)
  await options.look()
  const sums = places.map(() => new ShareSum())
  const tasks = days.flatMap(({ day, parts }) =>
    places.map((out, dataset): SplitTask => ({ type: 'split', day, dataset, out, parts, table })),
  )
  // What a day says of names and members is added up at once: those of many days would take much memory.
  const shares = await tools.host.all<DayShare>(tasks, {
    each: (share) => sums[share.dataset]!.add(share),
    atOnce: AT_ONCE,
  })
  const counts = shareCounts(whole.result, sums)
  const links = new DividedLinks(whole, table)
  const linkCounts = await links.count(places.length)
  for (const [dataset, out] of places.entries()) {
    await options.look()
    const { names, inventory } = sums[dataset]!.take()
    const result = { ...whole.result, ...counts[dataset]!, ...ofRecords(whole.result, dataset, inventory) }
    const own = tasks.flatMap(({ day, dataset: of }, index) =>
      of === dataset ? [{ day, ...madeOf(shares[index]!) }] : [],
    )
    const finished = {
      days: own,
      names,
      rejects: whole.rejects,
      cells: () =>
        arrivalIn(
          journal,
          own.map(({ day }) => splitName(dataset, day)),
        ),
      links: () => links.of(dataset),
      linkCount: linkCounts[dataset]!,
    }
    const source = { ...options.source, ...splitWords(dataset, places.length) }
    await finishDataset({ ...job, out }, finished, result, { tool: options.tool, source })
  }
  return places.map((out, dataset) => {
    const own = shares.filter((share) => share.dataset === dataset)
    const parts = sum(own.map((share) => share.parts.length))
    const dayCount = own.filter((share) => share.parts.length > 0).length
    return { out, events: sums[dataset]!.events, parts, days: dayCount }
  })
}

type SplitTask = Task & { readonly type: 'split' }

/** Finds what belongs together, in one reading of all events. Code `mismatch` if a sealed part was changed since. */
async function dividedIn(
  { job, days, result }: SealedWhole,
  { options, progress }: SplitTools,
): Promise<DatasetOfSlot> {
  const count = new DistinctCount()
  count.addText(result.inventory.distinct_ids)
  const sets = new PersonSets(count.estimate)
  const ids = new EventIds(job.groupEventName)
  const store = await openStore(job.out)
  const between = async () => {
    if (options.interrupted.aborted) throw interruptedError()
  }
  for (const part of days.flatMap(({ parts }) => parts)) {
    await readParts(store, [part], {
      each(line, head) {
        const linked = ids.linkedIn(line, head)
        if (linked !== undefined) sets.link(sketchHash(headId(line, head)), linked)
      },
      between,
    })
    progress(part.bytes)
  }
  return sets.divide(job.split.datasets)
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
function ofRecords(
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

/** The lines of links.ndjson, by the dataset that has the ids. */
class DividedLinks {
  readonly #whole: SealedWhole
  readonly #table: DatasetOfSlot

  constructor(whole: SealedWhole, table: DatasetOfSlot) {
    this.#whole = whole
    this.#table = table
  }

  async count(datasets: number): Promise<number[]> {
    const counts = new Array<number>(datasets).fill(0)
    for await (const link of this.#links()) counts[this.#destinationOf(link)]!++
    return counts
  }

  async *of(dataset: number): AsyncGenerator<Buffer> {
    for await (const link of this.#links())
      if (this.#destinationOf(link) === dataset) yield Buffer.from(linkLine(link))
  }

  #destinationOf(link: KnownLink): number {
    return destinationOf(this.#table, 'anonymous' in link ? sketchHash(link.anonymous) : hashOfGroup(link))
  }

  async *#links(): AsyncGenerator<KnownLink> {
    const some: KnownLink[] = []
    const framer = new LineFramer({
      line: (bytes, start, end) => some.push(JSON.parse(bytes.toString('utf8', start, end)) as KnownLink),
      tooLong() {},
    })
    for await (const chunk of this.#whole.links()) {
      framer.push(chunk)
      yield* some.splice(0)
    }
    framer.end()
    yield* some
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
