import { expect, test } from 'vitest'
import { sideTableLines, withoutJoined } from '../../../src/commands/transform/transform-parts.ts'
import type { JoinedTable } from '../../../src/pipeline/side/built.ts'

const users: JoinedTable = {
  ...{
    name: 'users',
    as: 'joined_user',
    help: 'without it, nobody has a name',
    expected: true,
    of_records: false,
  },
  ...{ files: 2, rows: 1200, keys: 1190, repeated: 10, without_key: 0, unreadable: 1, sha256: 'abc' },
  ...{ found: 5000, missing: 3 },
}

test('says what was joined and what is wrong with it, in lines that fit a terminal', () => {
  const missing: JoinedTable = { ...users, name: 'sessions', files: 0, sha256: null }
  const lines = sideTableLines([users, missing])
  expect(lines.join('\n')).toBe(`  joined    users: 1,200 rows; 5,000 records found one
  warning   users: 3 records found no row, 10 rows repeat a key, 1 line could
            not be read
  not joined sessions was not given (--join sessions=PATH): without it, nobody
            has a name`)
  const own: JoinedTable = {
    ...users,
    of_records: true,
    expected: false,
    repeated: 0,
    unreadable: 0,
    without_key: 9,
  }
  expect(sideTableLines([{ ...own, help: 'when each visit began' }])).toEqual([
    '  looked up when each visit began, from all records: 1,190, for 5,000 records',
  ])
})

test('columns of joined rows are no members that were lost', () => {
  const members = { 'joined_user.email': {}, joined_users: {}, email: {} }
  expect(withoutJoined({ members, other_members: {}, side_tables: [users] }).members).toEqual({
    joined_users: {},
    email: {},
  })
})
