import { z } from 'zod'
import { AROUND_KINDS } from '../../around/index.ts'
import { count, resultOf, type ValueOf } from '../result-parts.ts'

const kind = z.enum(AROUND_KINDS)

/**
 * What a row of the folder is, or has become: `lacking` in the project, `alike`, `differs` where it may be changed, `kept` where a
 * person wrote other words, `refused` by the server, `waiting` for the events that bring it, `gone` where a person took it away,
 * `skipped` by the mapping, `by_hand` where no API makes it again.
 */
export const ITEM_STATES = [
  'lacking',
  'differs',
  'alike',
  'kept',
  'refused',
  'waiting',
  'gone',
  'skipped',
  'by_hand',
] as const
export type ItemState = (typeof ITEM_STATES)[number]

const item = z.strictObject({
  kind,
  name: z.string(),
  state: z.enum(ITEM_STATES),
  fields: z.array(z.string()).describe('that are, or were, to be written'),
  why: z.string().nullable(),
})
export type AroundItem = ValueOf<typeof item>

/** How many rows are in each state. */
export function countStates(items: readonly AroundItem[]) {
  const counts = ITEM_STATES.map((state) => [state, items.filter((one) => one.state === state).length])
  return Object.fromEntries(counts) as Record<ItemState, number>
}

export const aroundTarget = z.strictObject({ host: z.string(), id: z.string() })
const states = z.strictObject(
  Object.fromEntries(ITEM_STATES.map((state) => [state, count])) as Record<ItemState, typeof count>,
)
export const aroundKinds = z.array(z.strictObject({ kind, rows: count, ...states.shape }))

/** What `around pull` answers. */
export const aroundPullResult = resultOf('around pull', {
  out: z.string(),
  source: z.string().describe('the vendor, and its project'),
  kinds: z.array(
    z.strictObject({
      kind,
      rows: count.nullable().describe('null where the source does not tell'),
      untold: z.string().nullable().describe('why it does not'),
      kept: z.boolean().describe('an earlier run had pulled it'),
    }),
  ),
  members: count.describe('of all cohorts'),
})
export type AroundPullResult = ValueOf<typeof aroundPullResult>

const diffShape = {
  folder: z.string(),
  project: aroundTarget,
  kinds: aroundKinds.describe('rows by their state before anything is written'),
  items: z.array(item).describe('all but those that are alike'),
}

/** What `around diff` answers. */
export const aroundDiffResult = resultOf('around diff', diffShape)
export type AroundDiffResult = ValueOf<typeof aroundDiffResult>

/** What `around push` answers. */
export const aroundPushResult = resultOf('around push', {
  ...diffShape,
  made: count,
  changed: count,
  members: z
    .strictObject({ sent: count, unmatched: count.nullable() })
    .describe('of cohorts; those without a person are null where the server does not count them'),
  notes: z.array(z.string()).describe('what the server does not keep, once each'),
  undone: z.strictObject({ removed: count, restored: count, kept: count }).nullable().describe('with --undo'),
})
export type AroundPushResult = ValueOf<typeof aroundPushResult>
