import type { Mutation } from './mutation.ts'
import { BUCKETS } from './table/buckets.ts'
import { CHECKED_FIRST } from './table/checked.ts'
import { DELIVERED } from './table/delivered.ts'
import { GROUPS } from './table/groups.ts'
import { KEPT } from './table/kept.ts'
import { LIMITS } from './table/limits.ts'
import { PROVEN } from './table/proven.ts'
import { REFUSED } from './table/refused.ts'
import { RULES } from './table/rules.ts'
import { TOLD } from './table/told.ts'
import { TRIALS } from './table/trials.ts'

/** All deliberate breaks of the source. */
export const MUTATIONS: readonly Mutation[] = [
  ...BUCKETS,
  ...CHECKED_FIRST,
  ...DELIVERED,
  ...GROUPS,
  ...KEPT,
  ...LIMITS,
  ...PROVEN,
  ...REFUSED,
  ...RULES,
  ...TRIALS,
  ...TOLD,
]
