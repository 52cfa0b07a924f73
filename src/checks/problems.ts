import { MIXED_DAYS } from '../delivery/notices.ts'
import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../delivery/pacer.ts'
import type { Mends } from '../record/mend.ts'
import { APART_EVENT } from '../record/stored-properties.ts'
import { dayText } from '../record/time.ts'
import type { EventsOfDay } from '../service/events-by-day.ts'
import { sum } from '../text/lists.ts'
import { MS_PER_DAY } from '../text/units.ts'
import type { MigrationPlan, MigrationSubject } from './check-data.ts'
import type { Problem } from './finding.ts'
import type { ProjectAsked } from './project-side.ts'
import type { Spotted } from './spot.ts'
import { ofStorage } from './storage-seen.ts'
import type { ProblemCode } from './words/problem-words.ts'

type Tally = Readonly<Record<string, number>>
type Maybe = Problem<ProblemCode> | false

export interface Asked {
  readonly project?: ProjectAsked
  /** The first line that was rejected, and why. */
  readonly reject?: string | undefined
  /** Files of the dataset that its manifest doesn't name, as sentences. */
  readonly unnamed?: readonly string[]
}

/** The problems of sending the events as they are. Pure. */
export function problemsOf(
  plan: MigrationPlan,
  subject: MigrationSubject,
  asked: Asked = {},
): Problem<ProblemCode>[] {
  const { project = {}, reject, unnamed = [] } = asked
  const { nobody } = plan.inspection.people
  const found: Maybe[] = [
    ...ofVolume(plan),
    ...ofDays(plan, subject),
    spotted('long_group_keys', plan.inspection.longGroupKeys),
    ...ofEvents(plan, subject, reject),
    ...ofNames(plan, subject),
    nobody.count > 0 && {
      code: 'nobody_ids',
      count: nobody.count,
      names: nobody.ids,
      example: nobody.example,
    },
    ...ofStorage(plan.inspection.storage, plan.names[APART_EVENT] ?? 0, subject.properties ?? {}),
    ...ofProject(project),
    unnamed.length > 0 && { code: 'unnamed_files', count: unnamed.length, example: unnamed[0] },
  ]
  return found.filter((problem) => problem !== false)
}

function ofVolume({ events, perMinute, maxEvents, approved, inspection }: MigrationPlan): Maybe[] {
  return [
    events === 0 && { code: 'empty', count: 0 },
    !approved && events > OPEN_EVENTS && { code: 'volume', count: events },
    !approved && perMinute > OPEN_PER_MINUTE && { code: 'speed', count: perMinute },
    events > maxEvents && { code: 'capped', count: events - maxEvents },
    inspection.daysBack >= MIXED_DAYS && { code: 'mixed_days', count: inspection.daysBack },
  ]
}

function ofDays({ inspection }: MigrationPlan, { days }: MigrationSubject): Maybe[] {
  const old = Object.keys(days)
    .filter((day) => day < FIRST_DAY)
    .sort()
  const holes = missingDays(days)
  return [
    old.length > 0 && { code: 'old_events', count: sum(old.map((day) => days[day]!)), names: old },
    spotted('young_events', inspection.young),
    holes.length > 0 && {
      code: 'missing_days',
      count: sum(holes, ({ days }) => days),
      names: holes.map(({ first, last }) => (first === last ? first : `${first} to ${last}`)),
    },
  ]
}

/** A larger share of rejects is most likely the mapping's fault, not that of single records. */
const MANY_REJECTS = 0.1

function ofEvents(
  { events: sent, inspection }: MigrationPlan,
  { records, events, rejects, mends, source }: MigrationSubject,
  reject: string | undefined,
): Maybe[] {
  const rejected = records.rejected + (events?.rejected ?? 0)
  const isMany = rejected > MANY_REJECTS * Math.max(records.read ?? 0, rejected + sent)
  const zone = source.source_timezone === undefined ? [] : [source.source_timezone]
  const large = rejects.event_too_large ?? 0
  return [
    large > 0 && { code: 'large_events', count: large },
    spotted('bad_lines', inspection.unreadable),
    mended(mends, 'event_names_cut', 'event_name_cut'),
    mended(mends, 'ids_trimmed', 'id_trimmed'),
    mended(mends, 'clock_twice', 'clock_twice', zone),
    mended(mends, 'clock_skipped', 'clock_skipped', zone),
    rejected > 0 && {
      code: isMany ? 'many_rejects' : 'rejects',
      count: rejected,
      names: byCount(rejects),
      example: reject,
    },
  ]
}

function ofNames(
  { names, inspection: { named } }: MigrationPlan,
  { big_integers }: MigrationSubject,
): Maybe[] {
  const exampleOf = (name: string | undefined) => (name === undefined ? undefined : named.get(name))
  const withName = (code: ProblemCode, list: readonly string[], tally: Tally): Maybe =>
    list.length > 0 && {
      code,
      count: sum(list.map((name) => tally[name]!)),
      names: list,
      example: exampleOf(list[0]),
    }
  const only = (name: string) => ((names[name] ?? 0) > 0 ? [name] : [])
  return [
    withName('dropped_events', only('$performance_event'), names),
    withName('forced_merges', only('$merge_dangerously'), names),
    withName('big_integers', byCount(big_integers), big_integers),
  ]
}

function ofProject({ project }: ProjectAsked): Maybe[] {
  const { days = [], held } = project ?? {}
  // Of files no one knows which of their events are there.
  const strange = ({ events, own, others }: EventsOfDay) => events - own - (held ? others : 0)
  const used = days.filter((day) => strange(day) > 0)
  const own = sum(days.map((day) => day.own))
  return [
    used.length > 0 && {
      code: 'project_in_use',
      count: sum(used.map(strange)),
      names: used.map(({ day }) => day),
    },
    own > 0 && { code: 'already_imported', count: own },
  ]
}

function spotted(code: ProblemCode, { count, example }: Spotted): Maybe {
  return count > 0 && { code, count, example }
}

function mended(mends: Tally, code: ProblemCode, mend: keyof Mends, names: readonly string[] = []): Maybe {
  const count = mends[mend] ?? 0
  return count > 0 && { code, count, ...(names.length > 0 && { names }) }
}

/** The names of a tally, commonest first. */
function byCount(tally: Tally): string[] {
  return Object.keys(tally).sort((a, b) => tally[b]! - tally[a]!)
}

/** No vendor that posthaul reads from is older: an event before this day has a wrong time. */
const FIRST_DAY = '2005-01-01'

/** The days without events in the span of all others, oldest first. Days before 2005 are no part of the span. Pure. */
function missingDays(days: Readonly<Record<string, number>>) {
  const there = Object.keys(days)
    .filter((day) => day >= FIRST_DAY && days[day]! > 0)
    .sort()
    .map((day) => Math.round(Date.parse(day) / MS_PER_DAY))
  return there.flatMap((at, n) => {
    const before = there[n - 1] ?? at - 1
    return at === before + 1
      ? []
      : { first: dayText(before + 1), last: dayText(at - 1), days: at - before - 1 }
  })
}
