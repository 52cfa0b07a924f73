import { hiddenText } from '../../checks/words/of-service.ts'
import type { SavedVerdict } from '../../imports/verified.ts'
import { loadVendorCounts } from '../../sources/counts/vendor-counts.ts'
import type { EventsManifest, RawManifest } from '../../store/manifest.ts'
import { ownOf } from '../../text/json.ts'
import { firstFew, number, plural } from '../../text/words.ts'
import { loadOutcomes, type Outcomes } from '../../transform/outcomes.ts'
import type { CountRow, CountsPart, Opened } from './report-data.ts'

/** Days that a sentence names. */
const MOST_NAMED = 5
const DAY = /^\d{4}-\d{2}-\d{2}$/

type Column = Exclude<keyof CountRow, 'name' | 'differs'>
/** `expected`: events of the datasets, which is what PostHog should have. */
type Row = { [Name in Column | 'read' | 'expected']?: number }

/** A table by day or by name that is filled column by column. */
class Counts {
  readonly rows = new Map<string | null, Row>()

  add(name: string | null, counts: Row): void {
    const row = this.rows.get(name) ?? {}
    for (const [column, count] of Object.entries(counts) as [keyof Row, number][])
      row[column] = (row[column] ?? 0) + count
    this.rows.set(name, row)
  }

  /** The rows in which two columns differ, where both are known. */
  where(one: keyof Row, other: keyof Row): { name: string | null; by: number }[] {
    return [...this.rows].flatMap(([name, row]) => {
      const [a, b] = [row[one], row[other]]
      return a === undefined || b === undefined || a === b ? [] : { name, by: a - b }
    })
  }

  /** Those that differ first; `order` says which of others come first. */
  shown(order: (a: CountRow, b: CountRow) => number): CountRow[] {
    const differ = new Set(PAIRS.flatMap(([one, other]) => this.where(one, other).map(({ name }) => name)))
    const rows = [...this.rows].map(([name, { read, expected: _, ...row }]): CountRow => {
      const exported = row.exported ?? read
      return { name, differs: differ.has(name), ...row, ...(exported !== undefined && { exported }) }
    })
    return rows.sort((a, b) => Number(b.differs) - Number(a.differs) || order(a, b))
  }
}

/** Columns that should be the same, and what is said where they are not. */
const PAIRS = [
  ['vendor', 'counted', 'The vendor counts other numbers than were exported'],
  ['exported', 'read', 'Other numbers of records were exported than the transform read'],
  ['expected', 'there', 'The dataset has other numbers of events than PostHog'],
] as const

interface CountsOf {
  readonly raw: readonly Opened<RawManifest>[]
  readonly events: readonly Opened<EventsManifest>[]
  /** Those of them that were compared. */
  readonly subject: readonly Opened<EventsManifest>[]
  /** What the last verify found; undefined if nobody asked. */
  readonly found: SavedVerdict | undefined
}

/** The same events at each place of their way, by day and by name. Undefined where nothing is known of any day. */
export async function countsPart({ raw, events, subject, found }: CountsOf): Promise<CountsPart | undefined> {
  const whole = events.filter(({ manifest }) => !manifest.trial)
  if (raw.length + whole.length === 0) return undefined
  const [days, names] = [new Counts(), new Counts()]
  const unknown: string[] = []
  const vendors = new Set<string>()
  for (const one of raw) unknown.push(...(await addExport(one, days, names, vendors)))
  if (raw.length === 0) unknown.push('The export is not here: what the vendor counts is not known.')
  for (const { name, store, manifest } of whole) {
    const isCompared = subject.some((one) => one.manifest === manifest)
    if (isCompared)
      for (const [day, count] of Object.entries(manifest.days)) days.add(day, { expected: count })
    const outcomes = await loadOutcomes(store, manifest.arrival.sha256)
    if (outcomes) addOutcomes(outcomes, days)
    else unknown.push(`What became of the records of ${name} by day is not known: it has no outcomes.json.`)
    if (outcomes) addNames(outcomes, manifest, isCompared ? found : undefined, names)
  }
  // What the service has of a trial is no part of the whole's days.
  const compared = found && whole.length > 0 ? whole.filter((one) => subject.includes(one)) : subject
  if (found && compared.length > 0) addThere(compared, found, days)
  if (found?.hidden) unknown.push(`${hiddenText(found.hidden)}.`)
  if (!found && whole.length > 0)
    unknown.push('What PostHog has on each day is not known: no verify has come to its end.')
  return {
    ...(vendors.size > 0 && { vendor: [...vendors].join(', ') }),
    sentences: [...differences(days, 'on', 'day'), ...differences(names, 'for', 'name')],
    unknown,
    days: days.shown(byName),
    names: names.shown(byCount),
  }
}

/** Adds an export and the vendor's counts of it. Returns what is not known of it, a sentence each. */
async function addExport(
  { name, store, manifest: { parts } }: Opened<RawManifest>,
  days: Counts,
  names: Counts,
  vendors: Set<string>,
): Promise<string[]> {
  for (const { window, events } of parts) {
    const day = window.slice(0, 10)
    days.add(DAY.test(day) ? day : null, { exported: events })
  }
  const counts = await loadVendorCounts(store, parts)
  const unknown = (why: string) => `What the vendor counts is not known for ${name}: ${why}.`
  if (!counts) return [unknown('no vendor-counts.json of these parts lies beside its manifest')]
  if (counts.reason !== null) return [unknown(counts.reason)]
  vendors.add(counts.vendor)
  for (const { day, here, there } of counts.days) days.add(day, { vendor: there, counted: here })
  for (const { event, here, there } of counts.names) names.add(event, { vendor: there, counted: here })
  if (counts.zone === 'UTC' || counts.days.length === 0) return []
  return [
    `The vendor's days are those of ${counts.zone}, the events' those of UTC: what lies between is of two days.`,
  ]
}

function addOutcomes(outcomes: Outcomes, days: Counts): void {
  for (const { day, read, made, rejected, filtered } of outcomes.days)
    days.add(day, { read, made, rejected, filtered })
  for (const { day, duplicate, earlier } of outcomes.events)
    days.add(day, { duplicates: duplicate + earlier })
}

/** Duplicates and PostHog know the events' names: they are those of a source's name that alone has become this one. */
function addNames(
  outcomes: Outcomes,
  manifest: EventsManifest,
  found: SavedVerdict | undefined,
  names: Counts,
): void {
  const sources = new Map<string | null, number>()
  for (const { to } of outcomes.names) sources.set(to, (sources.get(to) ?? 0) + 1)
  const duplicates = new Map(outcomes.duplicates.map(({ name, count }) => [name, count]))
  const isWhole =
    outcomes.other_names === null && outcomes.other_duplicates === 0 && manifest.other_names === 0
  for (const { name, to, read, made, rejected, filtered } of outcomes.names) {
    const isOnly = isWhole && to !== null && sources.get(to) === 1
    const expected = isOnly ? ownOf(manifest.names, to) : undefined
    const there = isOnly && found ? thereOf(to, expected ?? 0, found) : undefined
    names.add(name, {
      ...{ read, made, rejected, filtered },
      ...(isOnly && { duplicates: duplicates.get(to) ?? 0 }),
      ...(expected !== undefined && { expected }),
      ...(there !== undefined && { there }),
    })
  }
  const { other_names: others } = outcomes
  if (!others) return
  const { read, made, rejected, filtered } = others
  names.add(null, { read, made, rejected, filtered })
}

/** The events of a name in the service, by what differs; undefined where days differ, or are hidden, as a whole. */
function thereOf(name: string, here: number, { differences, hidden }: SavedVerdict): number | undefined {
  if (hidden || differences.some(({ event }) => event === null)) return undefined
  return differences.reduce((sum, one) => (one.event === name ? sum + one.service - one.here : sum), here)
}

/** The days as the service has them: those of the datasets, but for what differs. */
function addThere(events: CountsOf['events'], { differences, hidden }: SavedVerdict, days: Counts): void {
  for (const { manifest } of events)
    for (const [day, count] of Object.entries(manifest.days))
      if (day >= (hidden?.shown_from ?? '')) days.add(day, { there: count })
  for (const { day, service, here } of differences) days.add(day, { there: service - here })
}

/** Where numbers do not add up, a sentence for each pair of columns. `of`: `on` days, `for` names. */
function differences(counts: Counts, of: string, what: string): string[] {
  return PAIRS.flatMap(([one, other, words]) => {
    const rows = counts.where(one, other)
    if (rows.length === 0) return []
    const few = rows.map(({ name, by }) => {
      return `${name === null ? 'not known' : name} (${number(Math.abs(by))} ${by > 0 ? 'more' : 'fewer'})`
    })
    return `${words} ${of} ${plural(rows.length, what)}: ${firstFew(few, MOST_NAMED)}.`
  })
}

/** What has no name comes last. */
function byName(a: CountRow, b: CountRow): number {
  if (a.name === null || b.name === null) return Number(a.name === null) - Number(b.name === null)
  return a.name < b.name ? -1 : 1
}

function byCount(a: CountRow, b: CountRow): number {
  const [ofA, ofB] = [a, b].map(({ name, exported, vendor }) =>
    name === null ? -1 : (exported ?? vendor ?? 0),
  )
  return ofB! - ofA! || byName(a, b)
}
