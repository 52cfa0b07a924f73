import { whyLeftOut } from '../../checks/words/rejects.ts'
import type { Mapping } from '../../mapping/mapping.ts'
import type { Preset } from '../../mapping/preset.ts'
import { commonest } from '../../text/lists.ts'
import type { SampleOutcome } from './mapped-sample.ts'

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
export function eventRow(source: string | null, made: readonly SampleOutcome[], rules: NameRules) {
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
