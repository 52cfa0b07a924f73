import type { BuiltModel } from './model/studio-model.ts'
import type {
  EventQuery,
  EventTablePage,
  PageQuery,
  PropertyQuery,
  PropertyTable,
  TablePage,
} from './studio-data.ts'

const USUAL_ROWS = 50
const MOST_ROWS = 200

/** The part of some rows that a page asks for. */
export function pageOf<Row>(rows: readonly Row[], { offset = 0, limit = USUAL_ROWS }: PageQuery): Row[] {
  return rows.slice(offset, offset + Math.min(limit, MOST_ROWS))
}

/** The names of events that a query fits, searched among all of them. */
export function eventTable({ events }: BuiltModel, query: EventQuery): EventTablePage {
  const fitting = events.filter((row) => fits(row, query, [row.source ?? '', ...row.names]))
  return tablePage(events, fitting, query)
}

/** The members that a query fits, searched among all of them. */
export function propertyTable({ stock, stockOf }: BuiltModel, query: PropertyQuery): PropertyTable {
  const { rows, others } = query.event === undefined ? stock : stockOf(query.event)
  const fitting = rows.filter((row) => fits(row, query, [row.path, ...row.to]))
  return { ...tablePage(rows, fitting, query), others }
}

function fits<Fate>(
  row: { readonly fate: Fate },
  { fate, text = '' }: { readonly fate?: Fate | undefined; readonly text?: string | undefined },
  names: readonly string[],
): boolean {
  const wanted = text.toLowerCase()
  return (
    (fate === undefined || row.fate === fate) && names.some((name) => name.toLowerCase().includes(wanted))
  )
}

function tablePage<Fate extends string, Row extends { readonly fate: Fate }>(
  all: readonly Row[],
  fitting: readonly Row[],
  query: PageQuery,
): TablePage<Row, Fate> {
  const fates: Partial<Record<Fate, number>> = {}
  for (const { fate } of all) fates[fate] = (fates[fate] ?? 0) + 1
  return { rows: pageOf(fitting, query), total: fitting.length, all: all.length, fates }
}
