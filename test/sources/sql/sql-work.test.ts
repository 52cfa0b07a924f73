import { expect, test } from 'vitest'
import { PosthaulError } from '../../../src/errors.ts'
import { givenOptions } from '../../../src/options/given.ts'
import { POSTGRES_ROWS } from '../../../src/sources/postgres/vendor.ts'
import type { SqlEngine } from '../../../src/sources/sql/sql-engine.ts'
import { sqlWork } from '../../../src/sources/sql/sql-work.ts'
import { AT, ID, MemoryDatabase } from '../../helpers/memory-database.ts'

/** Plans an export of tables of a database. */
async function planned(database: MemoryDatabase, table: readonly string[]) {
  const engine: SqlEngine = {
    name: 'postgres',
    rows: POSTGRES_ROWS,
    schemaOf: () => undefined,
    connect: async () => database,
  }
  const given = { table, timeColumn: 'at', from: '2024-03-01', to: '2024-03-03', out: 'raw' }
  const { values } = givenOptions(POSTGRES_ROWS, given) as never as { values: never }
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
