import { ASKED, LEFT_OUT } from '../mapping/fates.ts'
import type { Fates } from '../record/inventory.ts'
import { sum } from '../text/lists.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import { labelled } from './lines.ts'

/** So many members are named; the others are counted. */
const NAMED = 5
const LEFT = 'left out: '

/** The members of records, as a manifest has them. */
export interface MembersOf {
  readonly members: Readonly<Record<string, Fates>>
  readonly other_members: Fates
}

/**
 * Lines about what was left out and the user did not ask to leave out, the most frequent first. Empty values have a line
 * of their own, since they are many and say nothing. `all` is where the rest can be read.
 */
export function leftOutLines(inventory: MembersOf, all: string): string[] {
  const rows = leftOutRows(inventory)
  const others = lostIn(inventory.other_members)
  const lines: string[] = []
  if (rows.length > 0 || others > 0) {
    const named = rows.slice(0, NAMED).map(({ path, records }) => `${visible(path)} ${number(records)}`)
    const unnamed = rows.length - named.length
    if (unnamed > 0) named.push(`and ${number(unnamed)} more`)
    if (others > 0) named.push(`and ${plural(others, 'member')} of other names`)
    lines.push(...labelled('left out', `values of these members: ${named.join(', ')}; ${all}`))
  }
  return [...lines, ...emptyLines(inventory)]
}

/** The members that were left out with a value, the most frequent first, and by which rules. */
export function leftOutRows({ members }: Pick<MembersOf, 'members'>) {
  return Object.entries(members)
    .map(([path, fates]) => ({ path, records: lostIn(fates), why: Object.keys(fates).filter(isLoss) }))
    .filter(({ records }) => records > 0)
    .sort((a, b) => b.records - a.records || (a.path < b.path ? -1 : 1))
}

/** How many empty values were left out, in a line. */
export function emptyLines({ members, other_members }: MembersOf): string[] {
  const empties = sum([...Object.values(members), other_members].map((fates) => fates[LEFT_OUT.empty] ?? 0))
  if (empties === 0) return []
  return labelled('left out', `${plural(empties, 'empty value')} (null, "" and the like)`)
}

/** True of what leaves a value out that the user did not ask to leave out. */
function isLoss(fate: string): boolean {
  return fate.startsWith(LEFT) && fate !== LEFT_OUT.empty && !ASKED.has(fate)
}

/** How often a member was left out with a value, and not because the user asked. */
function lostIn(fates: Fates): number {
  return sum(
    Object.entries(fates)
      .filter(([fate]) => isLoss(fate))
      .map(([, count]) => count),
  )
}
