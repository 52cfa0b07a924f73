import type { BuiltModel } from './model/studio-model.ts'
import type {
  EventQuery,
  EventRow,
  EventSort,
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
export function eventTable({ model, events }: BuiltModel, query: EventQuery): EventTablePage {
  const { sort = 'count', descending = sort === 'count' } = query
  const fitting = events.filter((row) => fits(row, query, [row.source ?? '', ...row.names]))
  return tablePage(model.revision, events, sorted(fitting, sort, descending), query)
}

/** The members that a query fits, searched among all of them. */
export function propertyTable({ model, stock, stockOf }: BuiltModel, query: PropertyQuery): PropertyTable {
  const { rows, others } = query.event === undefined ? stock : stockOf(query.event)
  const fitting = rows.filter((row) => fits(row, query, [row.path, ...row.to]))
  return { ...tablePage(model.revision, rows, fitting, query), others }
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
  revision: string,
  all: readonly Row[],
  fitting: readonly Row[],
  query: PageQuery,
): TablePage<Row, Fate> {
  const fates: Partial<Record<Fate, number>> = {}
  for (const { fate } of all) fates[fate] = (fates[fate] ?? 0) + 1
  return { revision, rows: pageOf(fitting, query), total: fitting.length, all: all.length, fates }
}

const KEYS: Readonly<Record<EventSort, (row: EventRow) => string | number>> = {
  source: ({ source }) => source ?? '',
  count: ({ count }) => count,
  fate: ({ fate }) => fate,
  name: ({ names }) => names[0] ?? '',
}

function sorted(rows: readonly EventRow[], sort: EventSort, descending: boolean): readonly EventRow[] {
  const keyOf = KEYS[sort]
  const sign = descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x === y ? b.count - a.count : x < y ? -sign : sign
  })
}
