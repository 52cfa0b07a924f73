import { expect, test } from 'vitest'
import { bigQueryDatabase } from '../../../src/sources/bigquery/bigquery-database.ts'
import { clickhouseDatabase } from '../../../src/sources/clickhouse/clickhouse-database.ts'
import { mysqlDatabase } from '../../../src/sources/mysql/mysql-database.ts'
import { postgresDatabase } from '../../../src/sources/postgres/postgres-database.ts'
import { hasEnds, withEnds } from '../../../src/sources/sql/query-ends.ts'

const ADDRESS = { server: 'localhost:1/shop', url: 'http://localhost:1' } as never
const DIALECTS = {
  postgres: postgresDatabase(ADDRESS, 1).ends,
  mysql: mysqlDatabase({ address: ADDRESS } as never).ends,
  clickhouse: clickhouseDatabase(ADDRESS, 1).ends,
  bigquery: bigQueryDatabase({ options: {} } as never, { dataset: { project: 'p', name: 'd' } } as never)
    .ends,
}
type Dialect = keyof typeof DIALECTS
const ALL = Object.keys(DIALECTS) as Dialect[]

test.each<[readonly Dialect[], string, string]>([
  [ALL, "SELECT '{from}', a\nWHERE a >= {from} AND a < {to}", "SELECT '{from}', a\nWHERE a >= ? AND a < ?"],
  [ALL, "x <> 'it''s {from}' AND y < {to}", "x <> 'it''s {from}' AND y < ?"],
  [ALL, 'a -- {from} isn’t "one\n< {to}', 'a -- {from} isn’t "one\n< ?'],
  [ALL, 'a /* {from} \n -- */ < {to}', 'a /* {from} \n -- */ < ?'],
  [ALL, 'SELECT "{from}" < {to}', 'SELECT "{from}" < ?'],
  [ALL, '{since} {from}{to}', '{since} ??'],
  [ALL, "'unfinished {from}", "'unfinished ?"],
  [['postgres', 'clickhouse'], '/* a /* b */ {from} */ {to}', '/* a /* b */ {from} */ ?'],
  [['mysql', 'bigquery'], '/* a /* b */ {from}', '/* a /* b */ ?'],
  [['postgres'], String.raw`'\' < {from} AND a <> '{to}'`, String.raw`'\' < ? AND a <> '{to}'`],
  [['postgres'], String.raw`E'\'{from}' || {to}`, String.raw`E'\'{from}' || ?`],
  [['mysql', 'clickhouse', 'bigquery'], String.raw`'\'{from}' < {to}`, String.raw`'\'{from}' < ?`],
  [['postgres', 'clickhouse'], "$$ it's {from} $$ < {to}", "$$ it's {from} $$ < ?"],
  [['postgres', 'clickhouse'], '$é$ $$ {from} $é$ < {to}', '$é$ $$ {from} $é$ < ?'],
  [['mysql', 'bigquery'], 'a # {from}\n < {to}', 'a # {from}\n < ?'],
  [['postgres'], "a #> '{x}' < {to}", "a #> '{x}' < ?"],
  [['mysql'], '1--{from} -- {to}', '1--? -- {to}'],
  [['mysql'], '/*!50000 a < {to} */ /*M! b < {to} */', '/*!50000 a < ? */ /*M! b < ? */'],
  [['mysql', 'clickhouse', 'bigquery'], 'SELECT `{from}` < {to}', 'SELECT `{from}` < ?'],
  [['bigquery'], "''' it's {from} ''' < {to}", "''' it's {from} ''' < ?"],
])('%j: %s', (dialects, query, wanted) => {
  for (const dialect of dialects)
    expect(
      withEnds(query, DIALECTS[dialect], () => '?'),
      dialect,
    ).toBe(wanted)
})

test('a query that has its ends in a comment only is not read by windows', () => {
  for (const dialect of ALL) {
    expect(hasEnds('SELECT 1 -- {from} {to}', DIALECTS[dialect]), dialect).toBe(false)
    expect(hasEnds('SELECT 1 < {from}', DIALECTS[dialect]), dialect).toBe(true)
  }
})
