import { expect, test } from 'vitest'
import type { FinishedExport } from '../../../src/jobs/export/hold.ts'
import { recounted } from '../../../src/jobs/export/hold.ts'
import { ExportState } from '../../../src/sources/export-state.ts'
import { slicesOf } from '../../../src/sources/sql/slices.ts'
import { sqlOrder } from '../../../src/sources/sql/sql-source.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { AT, ID, MemoryDatabase } from '../../helpers/memory-database.ts'
import { exportInto, freshFolder } from '../../sources/harness.ts'

const FROM = Date.parse('2024-03-01')
const { signal } = new AbortController()
const row = (id: number, day: number) => ({
  id: String(id),
  at: JSON.stringify(new Date(FROM + day * MS_PER_DAY).toISOString()),
})

/** Exports two days, counts them again, and says which windows were read again. */
async function exported(database: MemoryDatabase) {
  const windows = windowsOf(FROM, FROM + 2 * MS_PER_DAY, MS_PER_DAY)
  const reading = {
    relation: { kind: 'table', schema: 'app', name: 'events' },
    table: 'events',
    time: 'at',
    key: undefined,
  } as const
  const clock = new FakeClock(FROM + 9 * MS_PER_DAY)
  const order = sqlOrder({
    ...{ preset: undefined, identity: { vendor: 'memory' }, database },
    slices: await slicesOf(reading, { windows, rowsPerPart: 10, only: [], database, signal }),
    lines: { nulls: false, bigIntegersAsStrings: false },
    ...{ overlapMs: 0, rowsPerSecond: undefined, clock },
  })
  const store = new LocalStore(await freshFolder())
  await exportInto(store, order)
  let state = await ExportState.open(store, order.identity)
  const source = order.open(state.memory)
  const again: (readonly string[])[] = []
  const call = {
    signal,
    retry: { signal, retryForMs: 1, clock, random: Math.random },
    scratch: String,
    note: () => undefined,
  }
  const quiet = () => undefined
  const progress = { note: quiet, retrying: quiet, holding: quiet, stop: quiet }
  const finished: FinishedExport = {
    source,
    store,
    // The state is the one that the last reading has written.
    get state() {
      return state
    },
    ...{ call, progress },
  }
  const held = await recounted(finished, async (names) => {
    again.push(names)
    state.melt(names)
    await state.save()
    await exportInto(store, order)
    state = await ExportState.open(store, order.identity)
  })
  return { held, again }
}

test('a window that got a row late is read again, whole, and the others are not', async () => {
  const database = new MemoryDatabase([ID, AT], [row(1, 0), row(2, 1)])
  let counts = 0
  database.counting = () => {
    if (counts++ === 0) database.rows.push(row(3, 0.5))
  }
  const { held, again } = await exported(database)
  expect(again).toEqual([['events.2024-03-01']])
  expect(held.verdict).toMatchObject({ found: { here: 3, there: 3, days: 2, short: [] } })
})

test('a window whose rows go is read again too', async () => {
  const database = new MemoryDatabase([ID, AT], [row(1, 0), row(2, 1), row(3, 1)])
  let counts = 0
  database.counting = () => {
    if (counts++ === 0) database.rows.pop()
  }
  const { held, again } = await exported(database)
  expect(again).toEqual([['events.2024-03-02']])
  expect(held.verdict).toMatchObject({ found: { here: 2, there: 2, short: [] } })
})

test('a window that goes on changing is told, and is no end without an end', async () => {
  const database = new MemoryDatabase([ID, AT], [row(1, 0)])
  database.counting = ({ where }) => {
    if (where.by === 'time' && where.span.start === FROM) database.rows.push(row(database.rows.length + 1, 0))
  }
  const { held, again } = await exported(database)
  expect(again).toHaveLength(2)
  expect(held.verdict).toMatchObject({ found: { short: [{ day: 'events.2024-03-01', event: 'rows' }] } })
})

test('a server that counts no more ends nothing', async () => {
  const database = new MemoryDatabase([ID, AT], [row(1, 0)])
  database.counting = () => {
    throw new Error('gone')
  }
  expect(await exported(database)).toMatchObject({
    held: { verdict: { reason: 'gone' }, failure: expect.any(Error) },
  })
})
