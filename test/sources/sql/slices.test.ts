import { expect, test } from 'vitest'
import type { TableColumn } from '../../../src/sources/sql/database.ts'
import { slicesOf } from '../../../src/sources/sql/slices.ts'
import type { SqlReading } from '../../../src/sources/sql/sql-shape.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../../src/text/units.ts'
import { AT, column, ID, MemoryDatabase } from '../../helpers/memory-database.ts'

const FROM = Date.parse('2024-03-01')
const signal = new AbortController().signal
const TABLE = { kind: 'table', schema: 'app', name: 'events' } as const
const windows = windowsOf(FROM, FROM + 2 * MS_PER_DAY, MS_PER_DAY)

function named(parts: Partial<SqlReading>, columns: readonly TableColumn[], cut = {}, rows: object[] = []) {
  const database = new MemoryDatabase(columns, rows as [])
  const reading = { relation: TABLE, table: 'events', time: undefined, key: undefined, ...parts }
  return slicesOf(reading, { windows, rowsPerPart: 1000, only: [], ...cut, database, signal })
}
const names = async (...of: Parameters<typeof named>) => (await named(...of)).map(({ name }) => name)

test('windows go by days, and what has no time is a part of its own', async () => {
  expect(await names({ time: 'at' }, [AT])).toEqual(['events.2024-03-01', 'events.2024-03-02'])
  expect(await names({ time: 'AT' }, [{ ...AT, nullable: true }])).toEqual([
    'events.000',
    'events.2024-03-01',
    'events.2024-03-02',
  ])
  expect((await names({ time: 'at' }, [{ ...AT, timeless: true }]))[0]).toBe('events.000')
})

test('a key is cut at the same places whatever rows come', async () => {
  const rows = (ids: readonly string[]) => ids.map((id) => ({ id }))
  const cut = { rowsPerPart: 10 }
  const first = await named({ key: 'id' }, [ID], cut, rows(['-11', '3', '25']))
  expect(first.map(({ name }) => name)).toEqual([
    'events.0-000002',
    'events.0-000001',
    'events.000000',
    'events.000001',
    'events.000002',
  ])
  const later = await named(
    { key: 'id' },
    [ID],
    cut,
    rows(['-11', '3', '25', '31', '9007199254740993']).slice(0, 4),
  )
  expect(later.slice(0, 5)).toEqual(first)
  expect(first[0]!.slice.where).toMatchObject({ by: 'key', from: -20n, to: -10n })
})

test('a key of another type orders one part', async () => {
  const [one, ...others] = await named({ key: 'uuid' }, [column({ name: 'uuid', type: 'uuid' })])
  expect(others).toEqual([])
  expect(one!.slice.where).toMatchObject({ by: 'all', order: { name: 'uuid' } })
})

test.each([
  [
    'no such column',
    { time: 'created' },
    [column({ name: 'created_at', time: 'instant' })],
    {},
    'did you mean created_at?',
  ],
  ['no time', { time: 'id' }, [ID], {}, '--query'],
  ['a key that may be NULL', { key: 'id' }, [{ ...ID, nullable: true }], {}, 'NULL'],
  ['no --from', { time: 'at' }, [AT], { windows: undefined }, '--from'],
  [
    'hours of a column of days',
    { time: 'day' },
    [column({ name: 'day', type: 'date', time: 'date' })],
    { windows: windowsOf(FROM, FROM + MS_PER_DAY, MS_PER_HOUR) },
    '--window 24h',
  ],
] as const)('%s is refused', async (_, reading, columns, cut, words) => {
  const error = await named(reading, columns, cut).catch((cause: unknown) => cause)
  expect(error).toMatchObject({ name: 'PosthaulError' })
  expect(JSON.stringify([(error as Error).message, (error as { hint?: string }).hint])).toContain(words)
})

test('a query with ends is read by windows', async () => {
  const relation = { kind: 'query', name: 'q', text: 'SELECT 1 WHERE a >= {from} AND a < {to}' } as const
  const [first] = await named({ relation, table: 'q' }, [])
  expect(first).toMatchObject({ name: 'q.2024-03-01', slice: { where: { by: 'ends' } } })
})

test('too many ranges are refused before they are made', async () => {
  const rows = [{ id: '0' }, { id: '9007199254740993000' }]
  await expect(named({ key: 'id' }, [ID], { rowsPerPart: 1 }, rows)).rejects.toThrow('parts of 1')
})
