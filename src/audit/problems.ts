import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/caps.ts'
import type { MigrationPlan, MigrationSubject } from './migration-plan.ts'

/** The service makes no more group types than this in a project. */
export const MAX_GROUP_TYPES = 5

/** No product that posthaul reads from is older: an event from before is a time read from the wrong number. */
const FIRST_DAY = '2005-01-01'

/** Something to know, or to do, before the events are sent: what went in cannot be taken out. */
export interface Problem {
  /** One word in snake_case, for scripts. */
  readonly kind:
    | 'volume'
    | 'speed'
    | 'capped'
    | 'old_events'
    | 'young_events'
    | 'group_types'
    | 'big_integers'
    | 'rejects'
    | 'dropped_events'
    | 'forced_merges'
    | 'empty'
  readonly count: number
  /** The names it is about, commonest first; of `old_events` the days, oldest first. */
  readonly names?: readonly string[]
}

/** What stands against sending the dataset as it is. Pure. */
export function problemsOf(plan: MigrationPlan, manifest: MigrationSubject): Problem[] {
  const { events, perMinute, maxEvents, names, inspection } = plan
  const types = [...inspection.groupTypes.keys()]
  const big = Object.entries(manifest.big_integers).sort(([, a], [, b]) => b - a)
  const old = Object.keys(manifest.days)
    .filter((day) => day < FIRST_DAY)
    .sort()
  const found: (Problem | false)[] = [
    events === 0 && { kind: 'empty', count: 0 },
    events > OPEN_EVENTS && { kind: 'volume', count: events },
    perMinute > OPEN_PER_MINUTE && { kind: 'speed', count: perMinute },
    events > maxEvents && { kind: 'capped', count: events - maxEvents },
    old.length > 0 && {
      kind: 'old_events',
      count: old.flatMap((day) => Object.values(manifest.days[day]!)).reduce((sum, n) => sum + n, 0),
      names: old,
    },
    inspection.young > 0 && { kind: 'young_events', count: inspection.young },
    types.length > MAX_GROUP_TYPES && { kind: 'group_types', count: types.length, names: types },
    big.length > 0 && {
      kind: 'big_integers',
      count: big.reduce((sum, [, n]) => sum + n, 0),
      names: big.map(([name]) => name),
    },
    manifest.counts.rejected > 0 && { kind: 'rejects', count: manifest.counts.rejected },
    named(names, 'dropped_events', '$performance_event'),
    named(names, 'forced_merges', '$merge_dangerously'),
  ]
  return found.filter((problem) => problem !== false)
}

function named(
  names: Readonly<Record<string, number>>,
  kind: Problem['kind'],
  name: string,
): Problem | false {
  const count = names[name] ?? 0
  return count > 0 && { kind, count, names: [name] }
}
