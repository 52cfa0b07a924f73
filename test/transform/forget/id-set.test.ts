import { expect, test } from 'vitest'
import { digestOf, Forgotten, IdSet } from '../../../src/transform/forget/id-set.ts'

const SALT = 'salt'
const listed = new IdSet()
listed.add(digestOf(SALT, 'ann'))
const people = new Forgotten({ salt: SALT, cells: listed.cells })

test('a record of someone who is forgotten is left out, and one that makes them one with somebody else', () => {
  const leavesOut = (distinctId: string, firm?: boolean) => {
    const links = firm === undefined ? [] : [{ from: 'ann', to: distinctId, firm }]
    return people.leavesOut({ distinctId, links, instant: 0 })
  }
  expect([leavesOut('ann'), leavesOut('bob'), leavesOut('bob', true)]).toEqual([true, false, true])
  // A visitor's first user may stay.
  expect(leavesOut('bob', false)).toBe(false)
})

test.each([
  ['as JSON', '{"user":"ann","torn'],
  ['in escapes', String.raw`{"user":"\u0061nn"}`],
  ['as a device', '{"user":"$device:ann"}'],
  ['in a cell', '2024-01-01;ann;7'],
  ['as a word', 'user: ann [torn]'],
])('a refused record that names them %s is known', (_, record) => {
  expect(people.isNamedIn(record)).toBe(true)
  expect(people.isNamedIn(record.replace(/ann|0061nn/, (found) => `${found}a`))).toBe(false)
})
