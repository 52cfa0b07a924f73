import { expect, test } from 'vitest'
import { slicesOf } from '../../../src/sources/sql/slices.ts'
import { sqlOrder } from '../../../src/sources/sql/sql-source.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { AT, ID, MemoryDatabase, type MemoryRow } from '../../helpers/memory-database.ts'
import { exportInto, freshFolder } from '../harness.ts'

const FROM = Date.parse('2024-03-01')
const signal = new AbortController().signal
const NULLABLE = { ...AT, nullable: true }

function rowsOf(days: readonly (number | null)[]): MemoryRow[] {
  return days.map((day, id) => ({
    id: String(id),
    at: day === null ? null : JSON.stringify(new Date(FROM + day * MS_PER_DAY).toISOString()),
  }))
}

async function orderOf(
  database: MemoryDatabase,
  options: { rowsPerSecond?: number; clock?: FakeClock } = {},
) {
  const { rowsPerSecond, clock = new FakeClock(FROM + 9 * MS_PER_DAY) } = options
  const reading = {
    relation: { kind: 'table', schema: 'app', name: 'events' },
    table: 'events',
    time: 'at',
    key: undefined,
  } as const
  const windows = windowsOf(FROM, FROM + 3 * MS_PER_DAY, MS_PER_DAY)
  return sqlOrder({
    preset: undefined,
    identity: { vendor: 'memory' },
    database,
    slices: await slicesOf(reading, { windows, rowsPerPart: 10, only: [], database, signal }),
    overlapMs: 0,
    lines: { nulls: false, bigIntegersAsStrings: false },
    rowsPerSecond,
    clock,
  })
}

test('each row is in one part, those without a time too', async () => {
  const database = new MemoryDatabase([ID, NULLABLE], rowsOf([0, 0.5, 1, null, 2.99]))
  const store = new LocalStore(await freshFolder())
  const { fetched } = await exportInto(store, await orderOf(database))
  expect([...fetched].sort()).toEqual([
    'events.000',
    'events.2024-03-01',
    'events.2024-03-02',
    'events.2024-03-03',
  ])
})

test('fewer rows than the server counts never become a part', async () => {
  const database = new MemoryDatabase([ID, NULLABLE], rowsOf([0]))
  database.lost = 1
  const store = new LocalStore(await freshFolder())
  await expect(exportInto(store, await orderOf(database), { retryForMs: 1 })).rejects.toThrow(
    'Memory counts 1 row in events.2024-03-01 and gave 0',
  )
  expect((await store.list()).filter(({ name }) => name.includes('2024-03-01'))).toEqual([])
})

test('rows come no faster than they may', async () => {
  const clock = new FakeClock(0)
  const database = new MemoryDatabase([ID, NULLABLE], rowsOf([0, 0, 0, 0, 1, 1]))
  await exportInto(new LocalStore(await freshFolder()), await orderOf(database, { rowsPerSecond: 2, clock }))
  expect(clock.now()).toBe(3000)
})
