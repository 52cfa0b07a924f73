import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/caps.ts'
import type { MigrationPlan, MigrationSubject } from './migration-plan.ts'

/** The service creates no more group types than this in a project. */
export const MAX_GROUP_TYPES = 5

/** No vendor that posthaul reads from is older: an event before this day has a wrong time. */
const FIRST_DAY = '2005-01-01'

/**
 * How much a problem matters. `error`: the service would certainly lose or bend events, so the import must not run.
 * `warning`: the service may do so, or the import costs something; the user decides. `note`: good to know.
 */
export type Level = 'error' | 'warning' | 'note'

/** Every kind of problem, worst first, as they are listed. The names in snake_case are for scripts. */
export const LEVELS = {
  group_types: 'error',
  long_group_keys: 'error',
  dropped_events: 'error',
  empty: 'warning',
  volume: 'warning',
  speed: 'warning',
  capped: 'warning',
  old_events: 'warning',
  young_events: 'warning',
  big_integers: 'warning',
  forced_merges: 'warning',
  rejects: 'note',
} as const satisfies Record<string, Level>

type Kind = keyof typeof LEVELS
const KINDS = Object.keys(LEVELS)

/** Something to know or to do before events are sent, since sent events cannot be taken back. */
export interface Problem {
  readonly kind: Kind
  readonly level: Level
  readonly count: number
  /** The names that have the problem, commonest first. For `old_events`: the days, oldest first. */
  readonly names?: readonly string[]
}

type Found = Omit<Problem, 'level'>

/** The problems of sending the events as they are, worst first. Pure. */
export function problemsOf(plan: MigrationPlan, manifest: MigrationSubject): Problem[] {
  const { events, perMinute, maxEvents, names, inspection } = plan
  const types = [...inspection.groupTypes.keys()]
  const big = Object.entries(manifest.big_integers).sort(([, a], [, b]) => b - a)
  const old = Object.keys(manifest.days)
    .filter((day) => day < FIRST_DAY)
    .sort()
  const found: (Found | false)[] = [
    events === 0 && { kind: 'empty', count: 0 },
    events > OPEN_EVENTS && { kind: 'volume', count: events },
    perMinute > OPEN_PER_MINUTE && { kind: 'speed', count: perMinute },
    events > maxEvents && { kind: 'capped', count: events - maxEvents },
    old.length > 0 && {
      kind: 'old_events',
      count: old.reduce((sum, day) => sum + manifest.days[day]!, 0),
      names: old,
    },
    inspection.young > 0 && { kind: 'young_events', count: inspection.young },
    types.length > MAX_GROUP_TYPES && { kind: 'group_types', count: types.length, names: types },
    inspection.longGroupKeys > 0 && { kind: 'long_group_keys', count: inspection.longGroupKeys },
    big.length > 0 && {
      kind: 'big_integers',
      count: big.reduce((sum, [, n]) => sum + n, 0),
      names: big.map(([name]) => name),
    },
    manifest.records.rejected > 0 && { kind: 'rejects', count: manifest.records.rejected },
    named(names, 'dropped_events', '$performance_event'),
    named(names, 'forced_merges', '$merge_dangerously'),
  ]
  return found
    .filter((problem) => problem !== false)
    .map((problem) => ({ ...problem, level: LEVELS[problem.kind] }))
    .sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind))
}

/** True if the import must not run as it is. */
export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some(({ level }) => level === 'error')
}

function named(names: Readonly<Record<string, number>>, kind: Kind, name: string): Found | false {
  const count = names[name] ?? 0
  return count > 0 && { kind, count, names: [name] }
}
