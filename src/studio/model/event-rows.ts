import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import { MAX_EVENT_NAME } from '../../record/rules.ts'
import { groupedBy } from '../../text/lists.ts'
import type { SampleOutcome } from './mapped-sample.ts'

/** Mapped by the preset or the mapping file; unmapped, so sent under its own name; left out by a rule; rejected, every one. */
export type EventFate = 'mapped' | 'unmapped' | 'dropped' | 'rejected'

/** What decides about the names of events. */
interface NameRules {
  readonly preset: Pick<Preset, 'vendor' | 'events'>
  readonly mapping: Pick<Mapping, 'events'>
}

/** The rule of a mapping file by which a record is left out. */
const RULES: Readonly<Record<string, string>> = {
  event_dropped: 'events.drop',
  event_not_kept: 'events.keep',
  before_from: 'filter.from',
  after_to: 'filter.to',
  not_where: 'filter.where',
}

/** What leaves records out for this reason. */
export function filterRule(reason: string, { vendor }: Pick<Preset, 'vendor'>): string {
  return RULES[reason] ?? `preset ${vendor}: ${reason}`
}

/** What was made of each name in the source; commonest first. */
export function bySource(
  made: readonly SampleOutcome[],
): Array<readonly [source: string | null, made: SampleOutcome[]]> {
  return [...groupedBy(made, ({ source }) => source)].sort(([, a], [, b]) => b.length - a.length)
}

/**
 * One event of the source, null for records without a name. `names`: what it is called in the service, commonest first. `rule`:
 * what decides its fate, such as `events.rename`. `record`: one that shows it. `made` is not empty.
 */
export function eventRow(source: string | null, made: readonly SampleOutcome[], rules: NameRules) {
  const names = commonest(made.flatMap(({ event }) => (event ? [event.name] : [])))
  const count = (outcome: SampleOutcome['outcome']) => made.filter((one) => one.outcome === outcome).length
  const [sent, rejected, filtered] = [count('event'), count('rejected'), count('filtered')]
  const fate = fateOf({ sent, rejected, filtered }, source, names, rules)
  const shown = made.find(({ outcome }) => outcome === (sent > 0 ? 'event' : made[0]!.outcome))!
  return {
    source,
    count: made.length,
    fate,
    names,
    rule: ruleOf(fate, source, made, rules),
    sent,
    rejected,
    filtered,
    record: shown.record,
  }
}

function fateOf(
  { sent, rejected, filtered }: Readonly<Record<'sent' | 'rejected' | 'filtered', number>>,
  source: string | null,
  names: readonly string[],
  rules: NameRules,
): EventFate {
  if (sent === 0) return filtered > 0 && filtered >= rejected ? 'dropped' : 'rejected'
  const isKnown = source !== null && (renames(source, rules) || Object.hasOwn(rules.preset.events, source))
  return isKnown || names.some((name) => !isOwn(name, source)) ? 'mapped' : 'unmapped'
}

/** True for the name in the source, also as it is mended and cut for the service. */
function isOwn(name: string, source: string | null): boolean {
  if (source === null || name === source) return name === source
  const mended = Buffer.from(source).toString()
  return name === mended || (Buffer.byteLength(mended) > MAX_EVENT_NAME && mended.startsWith(name))
}

function renames(source: string, { preset, mapping }: NameRules): boolean {
  const { rename } = mapping.events
  const given = Object.hasOwn(preset.events, source) ? preset.events[source]! : source
  return Object.hasOwn(rename, source) || Object.hasOwn(rename, given)
}

function ruleOf(
  fate: EventFate,
  source: string | null,
  made: readonly SampleOutcome[],
  rules: NameRules,
): string | null {
  const { vendor } = rules.preset
  if (fate === 'unmapped') return null
  if (fate === 'mapped') {
    return source !== null && renames(source, rules) ? 'events.rename' : `preset ${vendor}`
  }
  const outcome = fate === 'dropped' ? 'filtered' : 'rejected'
  const [reason = ''] = commonest(
    made.flatMap((one) => (one.outcome === outcome && one.reason !== null ? [one.reason] : [])),
  )
  return fate === 'dropped' ? filterRule(reason, rules.preset) : reason
}

/** Each text once, the commonest first. */
export function commonest(texts: readonly string[]): string[] {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort(([, a], [, b]) => b - a).map(([text]) => text)
}
