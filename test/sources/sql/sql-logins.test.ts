import { expect, test } from 'vitest'
import { givenOptions } from '../../../src/options/given.ts'
import { bigqueryVendor } from '../../../src/sources/bigquery/vendor.ts'
import { postgresVendor } from '../../../src/sources/postgres/vendor.ts'
import type { SqlEngine } from '../../../src/sources/sql/sql-engine.ts'
import { sqlLogins } from '../../../src/sources/sql/sql-logins.ts'
import type { SourceSettings } from '../../../src/sources/vendor-source.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { AT, ID, MemoryDatabase } from '../../helpers/memory-database.ts'

const NOW = Date.UTC(2024, 5, 1)
const TABLES = { table: ['app.events'], time_column: 'at' }

function engineOf(database: MemoryDatabase, rows: SqlEngine['rows'] = postgresVendor.rows): SqlEngine {
  return { name: 'postgres', rows, schemaOf: () => undefined, connect: async () => database }
}

/** What a login says besides that it is let in. */
async function remarksOn(database: MemoryDatabase, settings?: SourceSettings) {
  const tools = { env: {}, stdin: process.stdin, clock: new FakeClock(NOW), patienceMs: 1000 }
  const project = { vendor: 'postgres', ...(settings && { settings }) }
  const [login] = (await sqlLogins(engineOf(database), project, tools))!
  return login!.remarks!(new AbortController().signal)
}

function memory(parts: Partial<MemoryDatabase> = {}): MemoryDatabase {
  return Object.assign(new MemoryDatabase([ID, AT], []), { now: NOW, ...parts })
}

test('one who only reads, by an index and the same clock, is told nothing', async () => {
  expect(await remarksOn(memory(), TABLES)).toEqual([])
})

test.each<[string, Partial<MemoryDatabase>, SourceSettings | undefined, object]>([
  [
    'a right to write',
    { mayWrite: ['INSERT on app.events'] },
    undefined,
    { text: 'the user may write: INSERT on app.events' },
  ],
  [
    'a clock that is wrong',
    { now: NOW - 3_600_000 },
    undefined,
    { text: "the server's clock is 1 h from this machine's" },
  ],
  [
    'a table that is read whole for each window',
    { scans: true },
    TABLES,
    {
      text: 'each window of events reads the whole table',
      cause: "the server's plan: Seq Scan on events",
      remedy: 'an index on at helps, or wider windows',
    },
  ],
  [
    'a table that something else makes quick',
    { scans: true, quick: 'a table that is partitioned by' },
    TABLES,
    { remedy: 'a table that is partitioned by at helps, or wider windows' },
  ],
  [
    'a column that is not there',
    {},
    { ...TABLES, time_column: 'time' },
    { isError: true, text: "events can't be read", cause: 'events has no column "time"' },
  ],
  [
    'tables that nothing cuts',
    {},
    { table: ['app.events'] },
    { isError: true, cause: expect.stringContaining('by what are the tables cut') },
  ],
  ['no table', {}, {}, { isError: true, cause: expect.stringContaining('what is read') }],
])('%s is said', async (_, parts, settings, remark) => {
  expect(await remarksOn(memory(parts), settings)).toEqual([expect.objectContaining(remark)])
})

test('what passes is no remark on what is exported', async () => {
  const broken = Object.assign(new Error('broken'), { fate: 'retry' })
  const columns = async () => {
    throw broken
  }
  await expect(remarksOn(memory({ columns }), TABLES)).rejects.toBe(broken)
})

test('a login alone tells nothing of a dataset that is an option', async () => {
  const tools = { env: {}, stdin: process.stdin, clock: new FakeClock(NOW), patienceMs: 1000 }
  expect(() => givenOptions(bigqueryVendor.rows, {})).toThrow('dataset is missing')
  const engine = engineOf(memory(), bigqueryVendor.rows)
  expect(await sqlLogins(engine, { vendor: 'bigquery' }, tools)).toBeUndefined()
})
