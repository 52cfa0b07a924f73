import { type FunnelRule, NEWEST_TRY } from '../../compare/index.ts'

/** How vendors take people through a funnel; docs/compare.md says where it is documented. */
const RULES: Readonly<Record<string, FunnelRule>> = {}

export function funnelRule(vendor: string | undefined): FunnelRule {
  return (vendor === undefined ? undefined : RULES[vendor]) ?? NEWEST_TRY
}
