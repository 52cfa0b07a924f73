import { expect, test } from 'vitest'
import { PosthaulError } from '../../../src/errors.ts'
import { givenOptions } from '../../../src/options/given.ts'
import { postgresVendor } from '../../../src/sources/postgres/vendor.ts'
import type { SqlEngine } from '../../../src/sources/sql/sql-engine.ts'
import { sqlWork } from '../../../src/sources/sql/sql-work.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { testFolder } from '../../helpers/folder.ts'
import { AT, ID, MemoryDatabase } from '../../helpers/memory-database.ts'
import { exportInto } from '../harness.ts'

/** Plans an export of tables of a database. */
async function planned(database: MemoryDatabase, table: readonly string[], more = {}) {
  const engine: SqlEngine = {
    name: 'postgres',
    rows: postgresVendor.rows,
    schemaOf: () => undefined,
    connect: async () => database,
  }
  const given = { table, timeColumn: 'at', from: '2024-03-01', to: '2024-03-03', out: 'raw', ...more }
  const { values } = givenOptions(postgresVendor.rows, given) as never as { values: never }
  const notes: string[] = []
  const world = { env: {}, stdin: process.stdin, interrupted: new AbortController().signal }
  const { order } = await sqlWork(engine).order(values, { ...world, note: (text) => void notes.push(text) })
  return { order, notes }
}

test('what is asked before the first window is asked again where the connection breaks', async () => {
  const database = new MemoryDatabase([ID, AT], [])
  let breaks = 2
  Object.assign(database, {
    async columns() {
      if (breaks-- > 0) throw new PosthaulError('broken', { code: 'unavailable', fate: 'retry' })
      return [ID, AT]
    },
  })
  const { order, notes } = await planned(database, ['app.events'])
  expect(notes).toEqual(Array(2).fill(expect.stringMatching(/^broken; asked again in /)))
  const memory = {} as Parameters<typeof order.open>[0]
  expect(order.open(memory).pieces.map(({ name }) => name)).toEqual([
    'events.2024-03-01',
    'events.2024-03-02',
  ])
})

test.each([[['a.events', 'b.events']], [['events', 'events']]])(
  '%j would have the same parts',
  async (tables) => {
    await expect(planned(new MemoryDatabase([ID, AT], []), tables)).rejects.toMatchObject({
      code: 'usage',
      message: 'two of the tables are called events, and their parts would be, too',
    })
  },
)

test('a part has at most --rows-per-part rows, and stays what it was when rows come later', async () => {
  const rows = Array.from({ length: 30 }, (_, id) => ({
    id: `${id}`,
    at: JSON.stringify(new Date(Date.UTC(2024, 2, 1, 0, id * 48)).toISOString()),
  }))
  const database = new MemoryDatabase([ID, AT], rows)
  const place = new LocalStore(testFolder())
  const exported = async () => {
    const { order } = await planned(database, ['events'], { rowsPerPart: '10' })
    return exportInto(place, order)
  }
  const first = await exported()
  expect([...first.fetched].sort()).toEqual([
    'events.2024-03-01T00',
    'events.2024-03-01T08',
    'events.2024-03-01T16',
    'events.2024-03-02',
  ])
  for (let id = 100; id < 140; id++) rows.push({ id: `${id}`, at: '"2024-03-02T05:00:00.000Z"' })
  expect((await exported()).fetched).toEqual([])
})

test('an export by the number of rows is another than one by whole windows', async () => {
  const database = new MemoryDatabase([ID, AT], [])
  const whole = await planned(database, ['events'])
  const cut = await planned(database, ['events'], { rowsPerPart: '1000000' })
  expect(cut.order.identity).not.toEqual(whole.order.identity)
})
