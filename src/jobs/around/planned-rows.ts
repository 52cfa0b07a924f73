import { type AroundKind, type AroundRow, rowKey } from '../../around/index.ts'
import type { Listed } from '../../service/index.ts'
import { groupedBy } from '../../text/index.ts'
import type { Pushed, PushedThings } from './pushed.ts'
import type { ItemState } from './result.ts'
import { comparedOf, type FieldPlan, type Fields, planFields, same, wantedTags } from './three-way.ts'

/** Everything that a push makes has it, where such a thing can have tags. */
export const OWN_TAG = 'posthaul'

const TAGGED: readonly AroundKind[] = ['events', 'properties', 'reports', 'dashboards']

/** What is to be done for a row of the folder. */
export interface PlannedItem<K extends AroundKind = AroundKind> {
  readonly kind: K
  readonly key: string
  /** As a sentence calls it. */
  readonly name: string
  readonly state: ItemState
  readonly why: string | null
  readonly row: AroundRow<K>
  readonly thing: Listed<K> | undefined
  readonly last: Pushed | undefined
  readonly fields: FieldPlan
}

export interface Planning {
  readonly pushed: PushedThings
  readonly overwrite: boolean
}

const NOTHING: FieldPlan = { set: {}, kept: [], refused: [] }

/** Holds the rows of a kind, by their final names, against what the project has. */
export function planKind<K extends AroundKind>(
  kind: K,
  rows: readonly AroundRow<K>[],
  things: readonly Listed<K>[],
  planning: Planning,
): PlannedItem<K>[] {
  const find = matcher(kind, things, planning.pushed)
  // Rows whose things are known come first: a row without one must not take theirs.
  const known = rows.map((row) => [row, planning.pushed.get(kind, keyIn(kind, row))] as const)
  const inTurn = [...known.filter(([, last]) => last?.id), ...known.filter(([, last]) => !last?.id)]
  return inTurn.map(([row, last]) => planRow(kind, row, { thing: find(row, last), last }, planning.overwrite))
}

interface Match<K extends AroundKind> {
  readonly thing: Listed<K> | undefined
  readonly last: Pushed | undefined
}

function planRow<K extends AroundKind>(
  kind: K,
  row: AroundRow<K>,
  { thing, last }: Match<K>,
  overwrite: boolean,
): PlannedItem<K> {
  const isMade = last ? last.made : thing === undefined
  const item = { kind, key: keyIn(kind, row), name: nameOf(kind, row), thing, last }
  const untouched = (state: ItemState, why: string) => ({ ...item, state, why, row, fields: NOTHING })
  if (!thing) {
    if (last?.id && !last.pending && !overwrite)
      return untouched('gone', 'it was taken away in PostHog after the last push')
    if (kind === 'properties') return untouched('waiting', 'no event has brought this property yet')
    const made = withTags(kind, row, { thing, last }, true)
    const fields = { ...NOTHING, set: comparedOf(kind, made as Fields) }
    return { ...item, state: 'lacking', why: null, row: made, fields }
  }
  // A cohort that others made gets no members of ours: it can't be told what of it was there before.
  if (kind === 'cohorts' && !last && !overwrite)
    return untouched('kept', 'a cohort of this name is there that no push has made')
  const wanted = withTags(kind, row, { thing, last }, isMade)
  const fields = planFields(kind, wanted as Fields, thing.row as Fields, { last, overwrite })
  return { ...item, ...stateOf(fields), row: wanted, fields }
}

function stateOf({ set, kept, refused }: FieldPlan): {
  readonly state: ItemState
  readonly why: string | null
} {
  const why = [
    ...(kept.length > 0 ? [`in other words there: ${kept.join(', ')}`] : []),
    ...(refused.length > 0 ? [`the server does not keep: ${refused.join(', ')}`] : []),
  ].join('; ')
  const state =
    Object.keys(set).length > 0
      ? 'differs'
      : kept.length > 0
        ? 'kept'
        : refused.length > 0
          ? 'refused'
          : 'alike'
  return { state, why: why || null }
}

function withTags<K extends AroundKind>(
  kind: K,
  row: AroundRow<K>,
  { thing, last }: Match<K>,
  isMade: boolean,
): AroundRow<K> {
  if (!TAGGED.includes(kind)) return row
  const mine = (row as { tags?: string[] }).tags ?? []
  // Where nothing is asked for, nothing is touched.
  if (mine.length === 0 && !isMade && !last?.sent.tags) return row
  const theirs = (thing?.row as { tags?: string[] } | undefined)?.tags ?? []
  return { ...row, tags: wantedTags(isMade ? [...mine, OWN_TAG] : mine, theirs, last) }
}

/** What a row is known by in `.pushed.json`: its id, where its name may change. */
export function keyIn<K extends AroundKind>(kind: K, row: AroundRow<K>): string {
  return 'id' in row ? row.id : rowKey(kind, row)
}

function nameOf<K extends AroundKind>(kind: K, row: AroundRow<K>): string {
  if (kind === 'annotations') {
    const { at, text } = row as AroundRow<'annotations'>
    return `${at} ${text}`
  }
  const { of, group } = row as Partial<AroundRow<'properties'>>
  const { name } = row as AroundRow<'events'>
  return of && of !== 'event' ? `${name} (of ${group ?? `${of}s`})` : name
}

/** Finds the thing of a row, each only once. */
function matcher<K extends AroundKind>(kind: K, things: readonly Listed<K>[], pushed: PushedThings) {
  const claimed = new Set(pushed.of(kind).flatMap(({ id }) => id ?? []))
  const byId = new Map(things.map((thing) => [thing.id, thing]))
  const byKey = groupedBy(things, ({ row }) => looseKey(kind, row))
  return (row: AroundRow<K>, last: Pushed | undefined): Listed<K> | undefined => {
    if (last?.id) return byId.get(last.id)
    const open = (byKey.get(looseKey(kind, row)) ?? []).filter(
      (thing) => !claimed.has(thing.id) && isAlike(kind, row, thing, last),
    )
    // Of several insights of one name, that with the same question.
    const found = open.find((thing) => same(queryOf(thing.row), queryOf(row))) ?? open[0]
    if (found) claimed.add(found.id)
    return found
  }
}

const queryOf = (row: AroundRow) => (row as Partial<AroundRow<'reports'>>).query

function looseKey<K extends AroundKind>(kind: K, row: AroundRow<K>): string {
  return 'id' in row ? row.name : rowKey(kind, row)
}

/** Whether a thing of the same name can be that of the row: names of insights and cohorts are not unique. */
function isAlike<K extends AroundKind>(
  kind: K,
  row: AroundRow<K>,
  thing: Listed<K>,
  last: Pushed | undefined,
): boolean {
  if (kind === 'cohorts') return thing.isBare
  if (kind !== 'reports' && kind !== 'dashboards') return true
  const there = thing.row as AroundRow<'reports'>
  if (last || there.tags?.includes(OWN_TAG)) return true
  return kind === 'reports' && same(there.query, (row as AroundRow<'reports'>).query)
}
