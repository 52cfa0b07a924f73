import { expect, test } from 'vitest'
import type { Relation, Where } from '../../../src/sources/sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../../../src/sources/sql/query-ends.ts'
import { type SqlSpelling, statementOf } from '../../../src/sources/sql/statement.ts'
import { AT, ID } from '../../helpers/memory-database.ts'

const SPELLING: SqlSpelling = {
  ends: queryEnds(QUERY_TEXTS.dashes, QUERY_TEXTS.doubled),
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder: (_, index) => `$${index + 1}`,
  timeless: (name) => `${name} = 'infinity'`,
  ordered: (name) => `"${name}" COLLATE "C"`,
}
const TABLE: Relation = { kind: 'table', schema: 'app', name: 'my "events"' }
const span = { start: 0, end: 1000 }
const text = (where: Where, relation: Relation = TABLE, only: { column: string; value: string }[] = []) =>
  statementOf({ relation, where, only }, 'count(*)', SPELLING)

test('values go beside the text, in the order of their places', () => {
  const { text: sql, parameters } = text({ by: 'time', column: AT, span }, TABLE, [
    { column: 'team', value: "2' OR 1=1" },
  ])
  expect(sql).toBe(
    'SELECT count(*) FROM "app"."my ""events""" WHERE "at" >= $1 AND "at" < $2 AND "team" = $3',
  )
  expect(parameters).toEqual([
    { kind: 'time', column: AT, at: 0 },
    { kind: 'time', column: AT, at: 1000 },
    { kind: 'only', column: 'team', value: "2' OR 1=1" },
  ])
})

test('what is in no window is asked for by the column itself', () => {
  expect(text({ by: 'no time', column: AT }).text).toContain(`WHERE ("at" IS NULL OR "at" = 'infinity')`)
  expect(text({ by: 'key', column: ID, from: -5n, to: 10n }).parameters).toMatchObject([
    { value: '-5' },
    { value: '10' },
  ])
})

test('a key orders rows and not counts', () => {
  const slice = { relation: TABLE, where: { by: 'all', order: ID } as const, only: [] }
  expect(statementOf(slice, '*', SPELLING).text).toMatch(/ORDER BY "id" COLLATE "C"$/)
  expect(statementOf(slice, 'count(*)', SPELLING).text).not.toContain('ORDER')
})

test("a query's ends are bound wherever they stand", () => {
  const query: Relation = {
    kind: 'query',
    name: 'q',
    text: "SELECT {to} AS t -- not {from}\n WHERE a >= {from} AND b <> '{to}' AND a < {to}",
  }
  const { text: sql, parameters } = text({ by: 'ends', span }, query)
  expect(sql).toContain("SELECT $1 AS t -- not {from}\n WHERE a >= $2 AND b <> '{to}' AND a < $3")
  expect(parameters.map((one) => one.kind === 'time' && one.at)).toEqual([1000, 0, 1000])
})
