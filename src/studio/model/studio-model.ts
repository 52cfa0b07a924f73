import { remedyOf, whyLeftOut } from '../../checks/words/rejects.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import type { Engine } from '../../pipeline/engine.ts'
import { RecordLoop } from '../../pipeline/loop.ts'
import { dayText } from '../../record/time.ts'
import { commonest, groupedBy } from '../../text/lists.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import type { SampleRecord } from '../studio-sample.ts'
import { type ForecastFrom, forecastRows } from './forecast-rows.ts'
import { mapSample, type SampleOutcome } from './mapped-sample.ts'
import { MemberFills, propertyRows } from './property-rows.ts'

/** What is mapped, by which rules. */
interface StockFrom {
  readonly records: readonly SampleRecord[]
  readonly engine: Engine
  readonly preset: Preset
  readonly mapping: Mapping
}

/**
 * Takes stock of the members of what was made. The mapper tells what became of members only of all records since it was last
 * asked, so the records are mapped once more.
 */
function stockOf(made: readonly SampleOutcome[], { records, engine, preset, mapping }: StockFrom) {
  const fills = new MemberFills(preset, mapping)
  const sent = new Map(made.map((one) => [`${one.record}:${one.child}`, one.outcome === 'event']))
  let record = 0
  const loop = new RecordLoop(engine, {
    wants(bytes, start, end, { child = null }) {
      const isSent = sent.get(`${record}:${child}`)
      if (isSent !== undefined) fills.add(bytes, start, end, isSent)
      return isSent === true
    },
    take() {},
  })
  for (const [index, { bytes, refused }] of records.entries()) {
    record = index
    if (!refused) loop.give(bytes)
  }
  const { inventory } = engine.takeCounts()
  return { properties: propertyRows(fills.fills, inventory, made.length), others: fills.others }
}

const MOST_EXAMPLES = 5
/** A file of rejects may have any reasons. */
const MOST_REASONS = 100

/** What was rejected, or filtered, by reason; commonest first. `message` is of the first record. */
function reasonRows(
  made: readonly SampleOutcome[],
  outcome: 'rejected' | 'filtered',
  preset: Pick<Preset, 'vendor'>,
) {
  const ends = made.filter((one) => one.outcome === outcome)
  return [...groupedBy(ends, ({ reason }) => reason ?? outcome)]
    .map(([reason, ones]) => {
      const examples = ones
        .slice(0, MOST_EXAMPLES)
        .map(({ record, message }) => ({ record, message: message ?? whyLeftOut(reason, preset.vendor) }))
      const remedy = outcome === 'rejected' ? remedyOf(reason) : null
      return { reason, count: ones.length, examples, message: examples[0]!.message, remedy }
    })
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_REASONS)
}

/** What a model is built from. */
interface ModelFrom extends StockFrom, ForecastFrom {
  readonly revision: string
  /** As a mapping file names it. */
  readonly presetName: string
}

export type BuiltModel = ReturnType<typeof buildModel>

/**
 * What a mapping makes of a sample: the model that the page shows, and what became of each record, and of each child of one, in
 * the order of the records. Pure but for the engine's buffers.
 */
export function buildModel(from: ModelFrom) {
  const { records, engine, preset, mapping, revision, presetName } = from
  const mapped = mapSample(records, engine, mapping)
  const { made, idleRules } = mapped
  const count = (outcome: SampleOutcome['outcome']) => made.filter((one) => one.outcome === outcome).length
  const events = made.flatMap(({ event }) => event ?? [])
  const days = new Set(events.map(({ instant }) => Math.floor(instant / MICROS_PER_DAY)))
  const model = {
    /** Changes with the mapping. Records are shown by the latest mapping that had no fault. */
    revision,
    preset: presetName,
    /** made = events + rejected + filtered; a record of several events is one record and made several times. */
    counts: {
      records: records.length,
      made: made.length,
      events: count('event'),
      rejected: count('rejected'),
      filtered: count('filtered'),
    },
    /** Names of events in the source, commonest first. */
    events: [...groupedBy(made, ({ source }) => source)]
      .map(([source, group]) => eventRow(source, group, { preset, mapping }))
      .sort((a, b) => b.count - a.count),
    ...stockOf(made, from),
    rejects: reasonRows(made, 'rejected', preset),
    /** Records left out on purpose, by the rule that did. */
    filtered: reasonRows(made, 'filtered', preset),
    /** UTC days that have events, oldest first. */
    days: [...days].sort((a, b) => a - b).map(dayText),
    /** What the service will bill, drop or change; the worst first. */
    forecast: forecastRows(mapped, from),
    /** Rules of the mapping file that matched nothing in the sample: `events.rename: Sign Up`. */
    idleRules,
  }
  return { made, model }
}

/** Mapped by the preset or the mapping file; unmapped, so sent under its own name; left out by a rule; rejected, every one. */
type EventFate = 'mapped' | 'unmapped' | 'dropped' | 'rejected'

/** What decides about the names of events. */
interface NameRules {
  readonly preset: Pick<Preset, 'vendor' | 'events'>
  readonly mapping: Pick<Mapping, 'events'>
}

/**
 * One event of the source, null for records without a name. `names`: what it is called in the service, commonest first. `rule`:
 * what decides its fate, such as `events.rename`. `record`: one that shows it. `made` is not empty.
 */
function eventRow(source: string | null, made: readonly SampleOutcome[], rules: NameRules) {
  const names = commonest(made.flatMap(({ event }) => event?.name ?? [])).map(([name]) => name)
  const of = (outcome: SampleOutcome['outcome']) => made.filter((one) => one.outcome === outcome)
  const [sent, rejected, filtered] = [of('event'), of('rejected'), of('filtered')]
  const [fate, rule] =
    sent.length > 0
      ? ruleOfName(source, names, rules)
      : filtered.length >= rejected.length
        ? (['dropped', whyLeftOut(reasonOf(filtered), rules.preset.vendor)] as const)
        : (['rejected', reasonOf(rejected)] as const)
  return {
    ...{ source, count: made.length, fate, names, rule },
    ...{ sent: sent.length, rejected: rejected.length, filtered: filtered.length },
    record: (sent[0] ?? made[0]!).record,
  }
}

function reasonOf(ends: readonly SampleOutcome[]): string {
  return commonest(ends.map(({ reason }) => reason ?? ''))[0]![0]
}

function ruleOfName(
  source: string | null,
  names: readonly string[],
  { preset, mapping: { events } }: NameRules,
): readonly [fate: EventFate, rule: string | null] {
  const given = source !== null && Object.hasOwn(preset.events, source) ? preset.events[source]! : source
  if ([source, given].some((name) => name !== null && Object.hasOwn(events.rename, name)))
    return ['mapped', 'events.rename']
  return given !== source || names.some((name) => name !== source)
    ? ['mapped', `preset ${preset.vendor}`]
    : ['unmapped', null]
}
