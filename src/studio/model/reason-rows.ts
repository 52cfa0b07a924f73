import type { Preset } from '../../mapping/preset.ts'
import type { ReasonRow } from '../studio-data.ts'
import { filterRule } from './event-rows.ts'
import type { Made } from './mapped-sample.ts'

const MOST_EXAMPLES = 5
/** A file of rejects may have any reasons. */
const MOST_REASONS = 100

/** What was rejected, or filtered, by reason; commonest first. */
export function reasonRows(
  made: readonly Made[],
  outcome: 'rejected' | 'filtered',
  preset: Pick<Preset, 'vendor'>,
): ReasonRow[] {
  const groups = new Map<string, { count: number; examples: Array<{ record: number; message: string }> }>()
  for (const one of made) {
    if (one.outcome !== outcome) continue
    const reason = one.reason ?? outcome
    const group = groups.get(reason) ?? { count: 0, examples: [] }
    groups.set(reason, group)
    group.count++
    if (group.examples.length < MOST_EXAMPLES)
      group.examples.push({ record: one.record, message: one.message ?? filterRule(reason, preset) })
  }
  return [...groups]
    .map(([reason, group]) => ({ reason, ...group, message: group.examples[0]!.message }))
    .sort((a, b) => b.count - a.count)
    .slice(0, MOST_REASONS)
}
