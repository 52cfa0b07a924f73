import { type ExplainedCell, type FunnelRule, NEWEST_TRY } from '../../compare/index.ts'

/** How vendors take people through a funnel, and back; docs/compare.md says where each rule was read. */
const RULES: Readonly<Record<string, FunnelRule>> = {
  mixpanel: { tries: 'first', ends: 'extend' },
  amplitude: { tries: 'newest', ends: 'extend', returns: 'rolling' },
}

/** Vendors whose number of people is that of their list of users, which no record has. */
const LISTS_PEOPLE = new Set(['mixpanel'])

export function funnelRule(vendor: string | undefined): FunnelRule {
  return (vendor === undefined ? undefined : RULES[vendor]) ?? NEWEST_TRY
}

/** The cells of a number of people: where a vendor counts its list of users, that is why it has another number. */
export function listedPeople(
  vendor: string | undefined,
  cells: readonly ExplainedCell[],
): readonly ExplainedCell[] {
  if (vendor === undefined || !LISTS_PEOPLE.has(vendor)) return cells
  return cells.map((cell) => {
    const listed = cell.parts.find(([cause]) => cause === 'vendor')
    if (!listed) return cell
    const parts = cell.parts.map((part) => (part === listed ? (['profiles', listed[1]] as const) : part))
    return { ...cell, parts, unexplained: cell.unexplained - Math.abs(listed[1]) }
  })
}
