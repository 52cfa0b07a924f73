import { type AroundRow, given, restOf } from '../../around/index.ts'
import type { Bookmark } from './saved-reports.ts'

/*
 * A saved report in words: what is understood of its `params`. Nobody documents them, and each kind of report has others, so
 * what has another form than expected is passed over here. The row has the whole params besides, in its `more`.
 */

type Report = AroundRow<'reports'>
type Members = Readonly<Record<string, unknown>>

/** By the type of a bookmark: the closest insight of PostHog, and the page of Mixpanel's application that shows it. */
const KINDS = new Map<string, { readonly closest?: Report['closest']; readonly page: string }>([
  ['insights', { closest: 'trends', page: 'insights#report/' }],
  ['funnels', { closest: 'funnel', page: 'funnels#view/' }],
  ['retention', { closest: 'retention', page: 'retention#report/' }],
  ['flows', { closest: 'paths', page: 'flows#report/' }],
  ['launch-analysis', { page: 'impact#report/' }],
])
const UNKNOWN = { closest: undefined, page: 'insights#report/' }

/** `application`: where people see the project, such as `https://mixpanel.com/project/42/app`. */
export function bookmarkRow(bookmark: Bookmark, application: string): Report {
  const { id, name, type, description, params } = bookmark
  const { closest, page } = KINDS.get(type) ?? UNKNOWN
  const read = parsed(params)
  return {
    id: String(id),
    name: name || `report ${id}`,
    kind: type,
    link: `${application}/${page}${id}`,
    ...given({ description: textOf(description), closest, ...wordsOf(membersOf(read)) }),
    ...given({ more: restOf({ ...bookmark, params: read }, ['id', 'name', 'type', 'description']) }),
  }
}

function parsed(params: unknown): unknown {
  try {
    return typeof params === 'string' ? JSON.parse(params) : params
  } catch {
    return params
  }
}

function wordsOf(params: Members): Pick<Report, 'events' | 'filters' | 'settings'> {
  const { show, filter, group, time } = membersOf(params.sections)
  const behaviors = listOf(show).map(({ behavior }) => membersOf(behavior))
  const steps = [
    ...behaviors.flatMap((behavior) => (behavior.behaviors ? listOf(behavior.behaviors) : [behavior])),
    ...listOf(params.steps).map((step): Members => ({ ...step, name: step.name ?? step.event })),
  ].map(({ name, filters }) => ({ name: textOf(name), filters: listOf(filters).map(conditionOf) }))
  const windows = behaviors.map(({ conversionWindowDuration: count, conversionWindowUnit: unit }) =>
    [count, unit].map(textOf).filter(Boolean).join(' '),
  )
  return {
    events: unique(steps.map(({ name }) => name)),
    filters: unique([
      ...listOf(filter).map(conditionOf),
      ...steps.flatMap(({ name, filters }) => filters.map((one) => one && (name ? `${name}: ${one}` : one))),
    ]),
    settings: given({
      measure: joined(listOf(show).map(({ measurement }) => measureOf(membersOf(measurement)))),
      window: joined(windows),
      period: joined(behaviors.map(({ retentionUnit }) => textOf(retentionUnit))),
      interval: joined(listOf(time).map(({ unit }) => textOf(unit))),
      by: joined(listOf(group).map(({ value }) => textOf(value))),
      chart: textOf(membersOf(params.displayOptions).chartType),
    }),
  }
}

/** A condition in Mixpanel's own words: `plan equals pro or team`; undefined for one that has no property. */
function conditionOf({ value, filterOperator, filterValue }: Members): string | undefined {
  const values = [filterValue].flat().map(textOf).filter(Boolean).join(' or ')
  return textOf(value) && [textOf(value), textOf(filterOperator), values].filter(Boolean).join(' ')
}

function measureOf({ math, property }: Members): string | undefined {
  const [how, of] = [textOf(math), textOf(membersOf(property).name)]
  if (how === undefined || of !== undefined) return how && `${how} of ${of}`
  return { total: 'total events', unique: 'unique people' }[how] ?? how
}

function joined(texts: readonly (string | undefined)[]): string {
  return unique(texts).join(', ')
}

function unique(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((text) => text !== undefined && text !== ''))] as string[]
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {}
}

function listOf(value: unknown): readonly Members[] {
  return Array.isArray(value) ? value.map(membersOf) : []
}
