import createParser from '@posthog/hogql-parser'
import { expect, test } from 'vitest'
import { QueryForm } from '../../../src/sandbox/query/parse.ts'

const { parseSelect } = await createParser()

/** What is parsed, without the places inside of lists. */
const parsed = (query: string): unknown => JSON.parse(parseSelect(query))

/** Places and no more than the offset in them: lines and columns are used by nobody. */
function plain(node: unknown, inList = false): unknown {
  if (Array.isArray(node)) return node.map((one) => plain(one, inList || node.length > 2))
  if (node === null || typeof node !== 'object') return node
  const entries = Object.entries(node).filter(([name]) => !['line', 'column'].includes(name))
  const kept = inList ? entries.filter(([name]) => name !== 'start' && name !== 'end') : entries
  return Object.fromEntries(kept.map(([name, value]) => [name, plain(value, inList)]))
}

test.each([
  "SELECT event FROM events WHERE event = 'paid' AND distinct_id IN ('a', 'b') AND timestamp > 'x'",
  "SELECT count() FROM events WHERE uuid IN ('1','2','3', '4') AND event != 'x'",
  "SELECT concat('a', 'b', 'c', 'it''s', 'd'), 'x', 'y', 'z', ['a','b','c'] FROM events",
  "SELECT `a'b`, \"c'd\", 'e\\'f' AS g FROM events WHERE x = 'y' -- it's\n AND z = '1'",
  "SELECT toDateTime64('2024-01-01', 6, 'UTC') + interval '3 day', f'x{event}' FROM events /* 'a' */",
  "SELECT '😀', concat('😀', 'b', 'c') AS q, event = '😀' FROM events WHERE event IN ('', '', '')",
])('a query by its form is what it is by itself: %s', (query) => {
  const form = new QueryForm(query)
  expect(plain(form.fill(parsed(form.text)))).toEqual(plain(parsed(query)))
})

test('queries of one form have one text, however long their lists are', () => {
  const asked = (texts: string[]) => new QueryForm(`SELECT 1 FROM events WHERE uuid IN (${texts.join(', ')})`)
  const long = asked(Array.from({ length: 1000 }, (_, n) => `'${n}'`))
  expect(long.text).toBe(asked(["'a'", "'b'", "'c'"]).text)
  expect(JSON.stringify(long.fill(parsed(long.text)))).toContain('"value":"999"')
})
