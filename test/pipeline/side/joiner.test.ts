import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { listInputs } from '../../../src/inputs/list.ts'
import type { SideTable } from '../../../src/mapping/side-table.ts'
import { buildTables } from '../../../src/pipeline/side/build.ts'
import { Joiner } from '../../../src/pipeline/side/joiner.ts'
import { eventText } from '../../helpers/event-text.ts'
import type { TestEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { mapperForFiles } from '../../helpers/mapper.ts'

const about = { help: 'for a test', expected: true } as const
const MOVES: SideTable = { ...about, name: 'moves', on: { from: ['user'] }, as: 'moved', several: 'last' }
const USERS: SideTable = {
  ...about,
  name: 'users',
  on: { id: ['moved.to', 'user'] },
  as: 'known',
  several: 'first',
}
const DATA: SideTable = {
  ...about,
  name: 'data',
  on: { event: ['event.id'], site: ['site'] },
  as: 'data',
  several: (held, row) => (held === undefined ? `[${row}]` : `${held.slice(0, -1)},${row}]`),
}

async function built(tables: ReadonlyArray<readonly [table: SideTable, file: string, text: string]>) {
  const folder = testFolder()
  const sides = await Promise.all(
    tables.map(async ([table, name, text]) => {
      writeFileSync(join(folder, name), text)
      return { table, inputs: await listInputs([join(folder, name)]) }
    }),
  )
  return buildTables(sides, { folder, stop: new AbortController().signal })
}

async function joinerOf(...tables: Parameters<typeof built>[0]): Promise<Joiner> {
  return new Joiner(
    tables.map(([table]) => table),
    await built(tables),
  )
}

/** A record as text after the join. */
function joined(joiner: Joiner, record: string): string {
  const line = Buffer.from(`>>${record}<<`)
  return joiner.join(line, 2, line.length - 2)?.toString() ?? record
}

test('a record goes over one table into the next, and numbers meet text', async () => {
  const joiner = await joinerOf(
    [MOVES, 'moves.csv', 'from,to\n3105879132479205777,8\n9007199254740993,9\n'],
    [
      USERS,
      'users.ndjson',
      '{"id":8,"identity":"ann"}\n{"id":"9","identity":"bob"}\n{"id":7.0,"identity":"cy"}\n',
    ],
  )
  expect(joined(joiner, '{"user":3105879132479205777 }')).toBe(
    '{"user":3105879132479205777 ,"moved":{"from":"3105879132479205777","to":"8"},"known":{"id":8,"identity":"ann"}}',
  )
  // Two ids that are one as a double.
  expect(joined(joiner, '{"user":"9007199254740993"}')).toContain('bob')
  expect(joined(joiner, '{"user":9007199254740992}')).toBe('{"user":9007199254740992}')
  expect(joined(joiner, '{"user":"7"}')).toBe('{"user":"7","known":{"id":7.0,"identity":"cy"}}')
  // A record that names nobody, one that has the member already, and what is no record.
  for (const record of ['{"user":null}', '{}', '{"user":8,"known":{},"moved":{}}', '{"user":8', '[8]'])
    expect(joined(joiner, record)).toBe(record)
  expect(joiner.takeCounts()).toEqual({ moves: { found: 2, missing: 2 }, users: { found: 3, missing: 1 } })
  expect(joiner.takeCounts()).toEqual({ moves: { found: 0, missing: 0 }, users: { found: 0, missing: 0 } })
  joiner.close()
})

test('of rows with one key the table says which stands; what is no row is counted', async () => {
  const rows =
    '{"from":1,"to":2}\n{"from":"1","to":3}\n{"from":null,"to":4}\n{"to":5}\nnot json\n{"from":6,"to":7}\n'
  const users = '{"id":1,"n":"first"}\n{"id":1,"n":"second"}\n'
  const tables = [
    [MOVES, 'moves.ndjson', rows],
    [USERS, 'users.ndjson', users],
  ] as const
  expect(await built(tables)).toMatchObject([
    { name: 'moves', files: 1, rows: 5, keys: 2, repeated: 1, without_key: 2, unreadable: 1 },
    { name: 'users', files: 1, rows: 2, keys: 1, repeated: 1, without_key: 0, unreadable: 0 },
  ])
  const joiner = await joinerOf([{ ...MOVES, as: 'x' }, 'moves.ndjson', rows], [USERS, 'users.ndjson', users])
  expect(joined(joiner, '{"user":1}')).toBe('{"user":1,"x":{"from":"1","to":3},"known":{"id":1,"n":"first"}}')
})

test('rows of a key of several columns fold into one value', async () => {
  const joiner = await joinerOf([
    DATA,
    'data.ndjson',
    '{"event":"e1","site":1,"k":"a"}\n{"event":"e2","site":1,"k":"x"}\n{"event":"e1","site":"1","k":"b"}\n{"event":"e1","site":2,"k":"c"}\n',
  ])
  expect(joined(joiner, '{"event":{"id":"e1"},"site":1}')).toBe(
    '{"event":{"id":"e1"},"site":1,"data":[{"event":"e1","site":1,"k":"a"},{"event":"e1","site":"1","k":"b"}]}',
  )
  expect(joined(joiner, '{"event":{"id":"e1"}}')).toBe('{"event":{"id":"e1"}}')
})

test('a table of the records themselves keeps only the members that it is asked for', async () => {
  const visits: SideTable = {
    ...about,
    name: 'visits',
    on: { visit: ['visit'] },
    as: 'began',
    ofRecords: ['at'],
    several: (held, row) => (held === undefined || row < held ? row : held),
  }
  const joiner = await joinerOf([
    visits,
    'events.csv',
    'visit,at,url\nv1,10:02,/a\nv1,10:00,/b\n,09:00,/c\nv2,11:00,/d\nv3,,/e\n',
  ])
  expect(joined(joiner, '{"visit":"v1"}')).toBe('{"visit":"v1","began":{"at":"10:00"}}')
  // A record that holds none of them is no row.
  expect(joined(joiner, '{"visit":"v3"}')).toBe('{"visit":"v3"}')
  expect(joiner.takeCounts()).toEqual({ visits: { found: 1, missing: 1 } })
})

test('what a table holds is fingerprinted, and not the order of its rows', async () => {
  const sums = await Promise.all(
    [
      '{"id":1,"n":1}\n{"id":2,"n":2}\n',
      '{"id":2,"n":2}\n{"id":1,"n":1}\n',
      '{"id":1,"n":1}\n{"id":2,"n":3}\n',
    ].map(async (text) => (await built([[USERS, 'users.ndjson', text]]))[0]!.sha256),
  )
  expect(sums[0]).toBe(sums[1])
  expect(sums[0]).not.toBe(sums[2])
})

test('a file that is no such table is refused', async () => {
  await expect(built([[USERS, 'users.csv', 'name,mail\nann,a@e.com\n']])).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(
      'users.csv was to be joined as users, and no row of it has a value in id',
    ),
  })
})

test('a record without an id of its own has the same uuid with its rows and without', async () => {
  const joiner = await joinerOf([USERS, 'users.ndjson', '{"id":7,"n":1}\n'])
  const line = Buffer.from('>>{"event":"a","distinct_id":"d","timestamp":"2024-05-01T10:00:00Z","user":7}<<')
  const uuidBy = (one: Joiner | undefined) => {
    const [joined, own] = [one?.join(line, 2, line.length - 2), line.subarray(2, -2)]
    const whole = joined ?? own
    const mapped = mapperForFiles().map(whole, 0, whole.length, joined && own)
    expect(mapped).toMatchObject({ status: 'event', ownId: false })
    return (JSON.parse(eventText(mapped)) as TestEvent).uuid
  }
  expect(uuidBy(joiner)).toBe(uuidBy(undefined))
  expect(joiner.takeCounts()).toEqual({ users: { found: 1, missing: 0 } })
})
