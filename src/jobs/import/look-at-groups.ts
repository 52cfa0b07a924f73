import { fitOf, GroupsSeen, hiddenIn, sentOf, type TypesFit } from '../../checks/index.ts'
import { dayOf, dayText } from '../../record/index.ts'
import type { GroupType } from '../../service/index.ts'
import type { GroupInput, GroupPass } from '../transform/group-input.ts'

/** What was found out about the group types of an import. */
export interface GroupsFound {
  readonly fit: TypesFit
  /** Of each type that is missing, the key of the oldest event. */
  readonly keys: ReadonlyMap<string, string>
}

const NOTHING: GroupsFound = { fit: { tooMany: [], younger: [], missing: [] }, keys: new Map() }

/**
 * Finds out how the group types of an input fit the project. A dataset's manifest says which types it has; only where one
 * is missing or younger are events read, and only those days. Files are read as a whole. Nobody is asked about no groups.
 */
export async function lookAtGroups(
  input: GroupInput,
  types: () => Promise<readonly GroupType[]>,
  pass: GroupPass,
): Promise<GroupsFound> {
  const first = input.known ? undefined : new GroupsSeen()
  if (first) await input.read(first, pass)
  const known = input.known ?? sentOf(first!.types)
  if (known.size === 0) return NOTHING
  const project = await types()
  const rough = fitOf(known, project)
  const { tooMany, younger, missing } = rough
  if (tooMany.length > 0 || younger.length + missing.length === 0) return { fit: rough, keys: new Map() }
  if (first && younger.length === 0) return found(rough, first)
  const since = new Map(
    project.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const])),
  )
  const until = dayText(dayOf(Math.max(0, ...younger.map((type) => type.since))))
  const oldest = new Set(missing.map((type) => dayText(dayOf(type.oldest))))
  const days = input.days.filter((day) => (younger.length > 0 && day <= until) || oldest.has(day))
  const seen = new GroupsSeen(since)
  await input.read(seen, pass, new Set(days))
  if (missing.every(({ type }) => seen.types.get(type)?.key)) {
    return found(fitOf(known, project, hiddenIn(seen.types)), seen)
  }
  // The oldest event of a type may have become a reject after it was counted.
  const whole = new GroupsSeen(since)
  await input.read(whole, pass)
  return found(fitOf(known, project, hiddenIn(whole.types)), whole)
}

function found(fit: TypesFit, { types }: GroupsSeen): GroupsFound {
  const missing = fit.missing.flatMap((type) => {
    const seen = types.get(type.type)
    return seen && seen.key !== '' ? [{ ...type, oldest: Math.min(type.oldest, seen.oldest) }] : []
  })
  return {
    fit: { ...fit, missing },
    keys: new Map(missing.map(({ type }) => [type, types.get(type)!.key])),
  }
}
