import type { ChartEvents, ChartFilter } from '../charts/index.ts'

/** How people go through a funnel, and come back. */
export interface FunnelRule {
  /** `newest`: each later first step begins a new try. `first`: only a person's first one in the span counts. */
  readonly tries: 'newest' | 'first'
  /** `clip`: all steps lie in the span. `extend`: only the first does. */
  readonly ends: 'clip' | 'extend'
  /**
   * `rolling`: whoever starts in several periods is in the row of each, and days, weeks of 7 and months of 30 days are
   * counted from each start, days by its hour. Left out: periods of the calendar, after the first start.
   */
  readonly returns?: 'rolling'
}

/** PostHog's (its FunnelsQuery, where `funnelWindowBoundary` is not set). */
export const NEWEST_TRY: FunnelRule = { tries: 'newest', ends: 'clip' }

/** The events that charts are computed of, as one side sees them. */
export interface ChartView {
  /** SQL of rows: `name`, `instant` (microseconds), `person`, `personless`, and `p0`, `p1` … for the properties. */
  readonly rows: string
  /** The time zone of its days. */
  readonly zone: string
  readonly rule: FunnelRule
  /** The names that it has for events of a final name. */
  names(final: string): readonly string[]
}

/** The properties of a view, and the columns that hold them. */
export class PropertyColumns {
  readonly #columns: ReadonlyMap<string, string>

  constructor(properties: readonly string[]) {
    this.#columns = new Map(properties.map((name, at) => [name, `p${at}`]))
  }

  of(property: string): string {
    return this.#columns.get(property)!
  }

  /** SQL that holds for the events that count. */
  condition({ event, where }: ChartEvents, view: Pick<ChartView, 'names'>): string {
    const named = event === null ? [] : [`name IN (${texts(view.names(event))})`]
    return [...named, ...where.map((filter) => this.filter(filter))].join(' AND ') || 'true'
  }

  filter({ property, operator, values }: ChartFilter): string {
    const column = this.of(property)
    const any = (test: (value: string) => string) => `(${values.map(test).join(' OR ') || 'false'})`
    const number = `TRY_CAST(${column} AS DOUBLE)`
    switch (operator) {
      case 'is':
        return `coalesce(${column} IN (${texts(values)}), false)`
      case 'is_not':
        return `NOT coalesce(${column} IN (${texts(values)}), false)`
      case 'contains':
        return `coalesce(${any((value) => `contains(lower(${column}), lower(${literal(value)}))`)}, false)`
      case 'set':
        return `${column} IS NOT NULL`
      case 'not_set':
        return `${column} IS NULL`
      case 'over':
        return `coalesce(${any((value) => `${number} > TRY_CAST(${literal(value)} AS DOUBLE)`)}, false)`
      case 'under':
        return `coalesce(${any((value) => `${number} < TRY_CAST(${literal(value)} AS DOUBLE)`)}, false)`
    }
  }
}

/** A literal of SQL. The parser takes no zero byte. */
export function literal(text: string): string {
  const quoted = `'${text.replaceAll("'", "''")}'`
  return text.includes('\0') ? `(${quoted.replaceAll('\0', "' || chr(0) || '")})` : quoted
}

/** Literals for a list; a list of none holds for nothing. */
export function texts(values: readonly string[]): string {
  return values.length === 0 ? 'NULL' : values.map(literal).join(', ')
}
