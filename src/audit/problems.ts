import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/caps.ts'
import { MIXED_DAYS } from '../delivery/notices.ts'
import type { Mends } from '../record/mend.ts'
import type { MigrationPlan, MigrationSubject } from './migration-plan.ts'
import { MAX_GROUP_TYPES, type TypesFit } from './types-fit.ts'

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
  hidden_groups: 'error',
  empty: 'warning',
  volume: 'warning',
  speed: 'warning',
  capped: 'warning',
  old_events: 'warning',
  young_events: 'warning',
  big_integers: 'warning',
  forced_merges: 'warning',
  odd_sessions: 'warning',
  bad_lines: 'warning',
  rejects: 'note',
  event_names_cut: 'note',
  ids_trimmed: 'note',
  new_group_types: 'note',
  groups_unasked: 'note',
  mixed_days: 'note',
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

/** What the project says of its group types: how those of the events fit, or why nobody knows. */
export interface GroupsAsked {
  readonly fit?: TypesFit | undefined
  readonly unasked?: string | undefined
}

/** The problems of sending the events as they are, worst first. Pure. */
export function problemsOf(
  plan: MigrationPlan,
  manifest: MigrationSubject,
  groups: GroupsAsked = {},
): Problem[] {
  const { events, perMinute, maxEvents, names, inspection } = plan
  const { fit, unasked } = groups
  const rejected = manifest.records.rejected + (manifest.events?.rejected ?? 0)
  const own = [...inspection.groups.keys()]
  const types = fit && fit.tooMany.length > own.length ? fit.tooMany : own
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
    fit !== undefined &&
      fit.younger.length > 0 && {
        kind: 'hidden_groups',
        count: fit.younger.reduce((sum, { hidden }) => sum + hidden, 0),
        names: fit.younger.map(({ type }) => type),
      },
    // With no room for all of them, import makes none.
    fit !== undefined &&
      fit.tooMany.length === 0 &&
      fit.missing.length > 0 && {
        kind: 'new_group_types',
        count: fit.missing.length,
        names: fit.missing.map(({ type }) => type),
      },
    unasked !== undefined && own.length > 0 && { kind: 'groups_unasked', count: own.length, names: own },
    inspection.longGroupKeys > 0 && { kind: 'long_group_keys', count: inspection.longGroupKeys },
    inspection.oddSessions > 0 && { kind: 'odd_sessions', count: inspection.oddSessions },
    inspection.daysBack >= MIXED_DAYS && { kind: 'mixed_days', count: inspection.daysBack },
    inspection.unreadable > 0 && { kind: 'bad_lines', count: inspection.unreadable },
    big.length > 0 && {
      kind: 'big_integers',
      count: big.reduce((sum, [, n]) => sum + n, 0),
      names: big.map(([name]) => name),
    },
    mended(manifest.mends, 'event_names_cut', 'event_name_cut'),
    mended(manifest.mends, 'ids_trimmed', 'id_trimmed'),
    rejected > 0 && { kind: 'rejects', count: rejected },
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

function mended(mends: Readonly<Record<string, number>>, kind: Kind, mend: keyof Mends): Found | false {
  const count = mends[mend] ?? 0
  return count > 0 && { kind, count }
}

function named(names: Readonly<Record<string, number>>, kind: Kind, name: string): Found | false {
  const count = names[name] ?? 0
  return count > 0 && { kind, count, names: [name] }
}
