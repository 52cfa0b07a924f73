import { expect, test } from 'vitest'
import { PosthaulError } from '../../../src/errors.ts'
import { givenOptions } from '../../../src/options/given.ts'
import { postgresVendor } from '../../../src/sources/postgres/vendor.ts'
import type { Relation } from '../../../src/sources/sql/database.ts'
import type { SqlEngine } from '../../../src/sources/sql/sql-engine.ts'
import { tablesOf } from '../../../src/sources/sql/table-list.ts'
import { AT, ID, MemoryDatabase } from '../../helpers/memory-database.ts'

class Dropping extends MemoryDatabase {
  failure: PosthaulError | undefined

  override async tables() {
    const [events] = await super.tables()
    return [{ ...events!, name: 'gone' }, events!]
  }

  override async columns(relation: Relation) {
    if (relation.name === 'gone' && this.failure) throw this.failure
    return super.columns(relation)
  }
}

async function listOf(failure: PosthaulError) {
  const rows = [{ id: '1', at: '"2024-03-01T00:00:00Z"' }]
  const database = Object.assign(new Dropping([ID, AT], rows), { failure })
  const engine: SqlEngine = {
    ...{
      name: 'postgres',
      rows: postgresVendor.rows,
      schemaOf: () => undefined,
      connect: async () => database,
    },
  }
  const { values } = givenOptions(postgresVendor.rows, { list: true }) as never as { values: never }
  const world = { env: {}, stdin: process.stdin, interrupted: new AbortController().signal }
  return tablesOf(engine, values, world)
}

test('a table that vanishes while the list is made is said, and the others are listed', async () => {
  const { tables } = await listOf(new PosthaulError('no such table', { code: 'config' }))
  expect(tables.map(({ name, times, keys, problem }) => [name, times, keys, problem])).toEqual([
    ['gone', [], [], 'no such table'],
    ['events', ['at'], ['id'], undefined],
  ])
})

test('a connection that breaks ends the list', async () => {
  const broken = new PosthaulError('broken', { code: 'unavailable', fate: 'retry' })
  await expect(listOf(broken)).rejects.toBe(broken)
})
