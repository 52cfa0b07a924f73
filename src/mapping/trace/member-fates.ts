import type { Inventory } from '../../record/index.ts'
import { LEFT_OUT } from '../fates.ts'

/** A member of one record, and its value's JSON. */
interface Met {
  readonly path: string
  readonly value: string
}

const HOLLOW = new Set(['null', '""', '{}', '[]'])

/**
 * The fates of each member of one record, from the inventory of that record alone. An inventory goes by paths: of members
 * that share one, because an object has a name twice, the last gets what the path's value became.
 */
export function fatesOf(
  members: readonly Met[],
  { members: known, other_members: others }: Pick<Inventory, 'members' | 'other_members'>,
): string[][] {
  const places = new Map<string, number[]>()
  for (const [index, { path }] of members.entries()) places.set(path, [...(places.get(path) ?? []), index])
  const fates: string[][] = members.map(() => [])
  for (const [path, indexes] of places) {
    // Paths of more than 400 characters are counted together.
    const all = Object.keys(Object.hasOwn(known, path) ? known[path]! : others)
    const repeated = all.includes(LEFT_OUT.duplicate)
    if (indexes.length === 1 || !repeated) {
      for (const index of indexes) fates[index] = all
      continue
    }
    const isEmpty = (index: number) => all.includes(LEFT_OUT.empty) && HOLLOW.has(members[index]!.value)
    const last = indexes.findLast((index) => !isEmpty(index))
    for (const index of indexes) {
      if (index === last) fates[index] = restOf(all, indexes.some(isEmpty))
      else fates[index] = [isEmpty(index) ? LEFT_OUT.empty : LEFT_OUT.duplicate]
    }
  }
  return fates
}

function restOf(all: readonly string[], emptyElsewhere: boolean): string[] {
  return all.filter((fate) => fate !== LEFT_OUT.duplicate && !(emptyElsewhere && fate === LEFT_OUT.empty))
}
