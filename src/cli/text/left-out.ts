import { ASKED, LEFT_OUT } from '../../mapping/index.ts'
import type { Fates } from '../../record/index.ts'
import { number, plural, visible } from '../../text/index.ts'
import { labelled } from './summary.ts'

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
export function leftOutLines({ members, other_members }: MembersOf, all: string): string[] {
  const rows = Object.entries(members)
    .map(([path, fates]) => ({ path, count: lostIn(fates) }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => b.count - a.count || (a.path < b.path ? -1 : 1))
  const others = lostIn(other_members)
  const empty = sum(Object.values(members).map((fates) => fates[LEFT_OUT.empty] ?? 0))
  const lines: string[] = []
  if (rows.length > 0 || others > 0) {
    const named = rows.slice(0, NAMED).map(({ path, count }) => `${visible(path)} ${number(count)}`)
    const unnamed = rows.length - named.length
    if (unnamed > 0) named.push(`and ${number(unnamed)} more`)
    if (others > 0) named.push(`and ${plural(others, 'member')} of other names`)
    lines.push(...labelled('left out', `values of these members: ${named.join(', ')}; ${all}`))
  }
  const empties = empty + (other_members[LEFT_OUT.empty] ?? 0)
  if (empties > 0)
    lines.push(...labelled('left out', `${plural(empties, 'empty value')} (null, "" and the like)`))
  return lines
}

/** How often a member was left out with a value, and not because the user asked. */
function lostIn(fates: Fates): number {
  return sum(
    Object.entries(fates)
      .filter(([fate]) => fate.startsWith(LEFT) && fate !== LEFT_OUT.empty && !ASKED.has(fate))
      .map(([, count]) => count),
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, n) => total + n, 0)
}
