import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
import type { Database } from './database.ts'
import type { SqlValues } from './sql-rows.ts'
import { queryReading, type ShapeCall, type SqlReading, tableReading } from './sql-shape.ts'
import { shapeNamed } from './sql-shapes.ts'

interface Wanted {
  readonly readings: readonly SqlReading[]
  readonly preset: string | undefined
  /** What tells this export from others of the same server. */
  readonly identity: Readonly<Record<string, string>>
}

/** What the options name: tables, a query or a shape. Code `usage` unless it is just one of them. */
export async function readingsOf(
  { table: tables, query, like, timeColumn: time, key }: SqlValues,
  place: ShapeCall,
): Promise<Wanted> {
  if ([tables.length > 0, query !== undefined, like !== undefined].filter(Boolean).length !== 1) {
    throw usage('what is read? Give one of --table, --query and --like', 'add --list to see the tables')
  }
  if (like !== undefined) {
    if (time !== undefined || key !== undefined) {
      throw usage(`--like ${like} knows its columns`, 'leave --time-column and --key out')
    }
    const shape = shapeNamed(like)
    const readings = await shape.readings(place)
    return { readings, preset: shape.preset, identity: { like, schema: place.schema ?? '' } }
  }
  const columns = { time, key }
  const identity = { time: time ?? '', key: key ?? '' }
  if (query !== undefined) {
    const text = (await readWhole(query, { mostBytes: MIB })).toString('utf8').trim().replace(/;$/, '')
    const sha256 = createHash('sha256').update(text).digest('hex')
    const name = basename(query).replace(/\.[^.]*$/, '')
    return {
      readings: [{ ...queryReading(name, text), table: sqlPartName(name), ...columns }],
      preset: undefined,
      identity: { query: sha256, ...identity },
    }
  }
  const readings = tables.map((text) => ({ ...namedTable(text, place.schema), ...columns }))
  const names = readings.map(({ table }) => table)
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  // The parts of the one would take the place of the other's.
  if (twice !== undefined) {
    throw usage(
      `two of the tables are called ${twice}, and their parts would be, too`,
      'export them one by one, each into a folder of its own',
    )
  }
  return {
    readings,
    preset: undefined,
    identity: { tables: tables.join(' '), ...identity },
  }
}

/** Refuses tables of which nothing says how they are cut, where none is read whole. Code `usage`. */
export function assertCut(
  { listsTables }: Database,
  { table: tables, timeColumn: time, key }: SqlValues,
): void {
  if (listsTables || tables.length === 0 || time !== undefined || key !== undefined) return
  throw usage(
    'by what are the tables cut? Give --time-column, or --key for a table without a time',
    'add --list to see the tables and their columns',
  )
}

/** With a schema named apart the text is the name alone, dots and all. */
function namedTable(text: string, schema: string | undefined): SqlReading {
  const at = schema === undefined ? text.lastIndexOf('.') : -1
  const name = text.slice(at + 1)
  return { ...tableReading({ schema: at < 0 ? schema : text.slice(0, at), name }), table: sqlPartName(name) }
}

/** A name that every file system takes. */
export function sqlPartName(table: string): string {
  return table.replaceAll(/[^\w$-]/g, (character) => `%${character.codePointAt(0)!.toString(16)}`)
}

function usage(message: string, hint: string): PosthaulError {
  return new PosthaulError(message, { code: 'usage', hint })
}
