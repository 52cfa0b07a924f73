import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/index.ts'
import type { Row } from '../../options/index.ts'
import { readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
import { windowsFrom } from '../export-options.ts'
import type { ExportOrder } from '../source.ts'
import type { CredentialsFrom, VendorWork, World } from '../vendor-source.ts'
import type { Database, Relation, TableName } from './database.ts'
import { type Reading, shapeNamed } from './shapes.ts'
import { type NamedSlice, slicesOf } from './slices.ts'
import { sqlLogins } from './sql-logins.ts'
import type { SqlValues } from './sql-rows.ts'
import { sqlOrder } from './sql-source.ts'
import { tablesOf } from './table-list.ts'

/** An engine whose tables are exported. */
export interface Engine<V extends SqlValues = SqlValues> {
  /** Its command: `postgres`. */
  readonly name: string
  readonly rows: readonly Row[]
  /** The schema that the options name. */
  schemaOf(values: V): string | undefined
  /** Opens a database. Code `auth` or `config` for an address and a login that are not whole. */
  connect(values: V, from: CredentialsFrom): Promise<Database>
}

/** What asks the databases of an engine. */
export function sqlWork<V extends SqlValues>(engine: Engine<V>): VendorWork<V> {
  return {
    order: (values, world) => sqlOrderOf(engine, values, world),
    tables: (values, world) => tablesOf(engine, values, world),
    logins: (project, tools) => sqlLogins(engine, project, tools),
  }
}

/** What an export of tables is asked for, its database open. */
async function sqlOrderOf<V extends SqlValues>(
  engine: Engine<V>,
  values: V,
  world: World,
): Promise<{ readonly order: ExportOrder; readonly close: () => Promise<void> }> {
  const database = await engine.connect(values, world)
  try {
    const order = await orderFrom({ engine, database }, values, world)
    return { order, close: () => database.close() }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function orderFrom<V extends SqlValues>(
  { engine, database }: { readonly engine: Engine<V>; readonly database: Database },
  values: V,
  { interrupted: signal }: World,
): Promise<ExportOrder> {
  const { readings, preset, identity } = await readingsOf(values, {
    database,
    schema: engine.schemaOf(values),
    signal,
  })
  const windows =
    values.from === undefined
      ? undefined
      : windowsFrom({ from: values.from, to: values.to }, values.window, Date.now())
  const cut = { windows, rowsPerPart: values.rowsPerPart, only: values.only }
  const slices: NamedSlice[] = []
  for (const reading of readings) slices.push(...(await slicesOf(reading, cut, { database, signal })))
  return sqlOrder({
    vendor: engine.name,
    preset,
    identity: {
      ...{ vendor: engine.name, server: database.server, ...identity },
      ...{ window: `${values.window / 3_600_000}h`, rows_per_part: String(values.rowsPerPart) },
      ...{ only: values.only.map(({ column, value }) => `${column}=${value}`).join(' ') },
      ...{ nulls: values.nulls, big_integers: values.bigIntegers },
    },
    database,
    slices,
    overlapMs: values.overlap,
    lines: { nulls: values.nulls === 'keep', bigIntegersAsStrings: values.bigIntegers === 'string' },
    rowsPerSecond: values.rowsPerSecond,
    clock: systemClock,
  })
}

interface Wanted {
  readonly readings: readonly Reading[]
  readonly preset: string | undefined
  /** What tells this export from others of the same server. */
  readonly identity: Readonly<Record<string, string>>
}

/** What the options name: tables, a query or a shape. Code `usage` unless it is just one of them. */
export async function readingsOf(
  { table: tables, query, like, timeColumn: time, key, only }: SqlValues,
  place: { readonly database: Database; readonly schema: string | undefined; readonly signal: AbortSignal },
): Promise<Wanted> {
  if ([tables.length > 0, query !== undefined, like !== undefined].filter(Boolean).length !== 1) {
    throw usage('what is read? Give one of --table, --query and --like', 'add --list to see the tables')
  }
  if (like !== undefined) {
    if (time !== undefined || key !== undefined) {
      throw usage(`--like ${like} knows its columns`, 'leave --time-column and --key out')
    }
    const shape = shapeNamed(like)
    const readings = await shape.readings({ ...place, only })
    return { readings, preset: shape.preset, identity: { like, schema: place.schema ?? '' } }
  }
  const columns = { time, key }
  const identity = { time: time ?? '', key: key ?? '' }
  if (query !== undefined) {
    const text = (await readWhole(query, { mostBytes: MIB })).toString('utf8').trim().replace(/;$/, '')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const name = basename(query).replace(/\.[^.]*$/, '')
    const relation: Relation = { kind: 'query', name, text }
    return {
      readings: [{ relation, table: partName(name), ...columns }],
      preset: undefined,
      identity: { query: sha256, ...identity },
    }
  }
  if (time === undefined && key === undefined) {
    throw usage(
      'by what are the tables cut? Give --time-column, or --key for a table without a time',
      'add --list to see the tables and their columns',
    )
  }
  return {
    readings: tables.map((text) => ({ ...tableReading(text, place.schema), ...columns })),
    preset: undefined,
    identity: { tables: tables.join(' '), ...identity },
  }
}

/** With a schema named apart the text is the name alone, dots and all. */
function tableReading(text: string, schema: string | undefined): Pick<Reading, 'relation' | 'table'> {
  const at = schema === undefined ? text.lastIndexOf('.') : -1
  const name: TableName =
    at < 0 ? { schema, name: text } : { schema: text.slice(0, at), name: text.slice(at + 1) }
  return { relation: { kind: 'table', ...name }, table: partName(name.name) }
}

/** A name that every file system takes. */
export function partName(table: string): string {
  return table.replaceAll(/[^\w$-]/g, (character) => `%${character.codePointAt(0)!.toString(16)}`)
}

function usage(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'usage', hint })
}
