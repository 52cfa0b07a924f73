import { describe, expect, test } from 'vitest'
import { PeopleCount } from '../../src/checks/people-seen.ts'
import { PersonMerges } from '../../src/checks/person-merges.ts'
import { readHead } from '../../src/record/head.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'

type Row = readonly [event: string, id: string, properties?: object]

function seen(rows: readonly Row[], merges?: PersonMerges) {
  const count = new PeopleCount(merges)
  rows.forEach(([event, distinct_id, properties = {}], n) => {
    const line = Buffer.from(
      eventLine({ ...makeEvent(n), event, distinct_id, properties: { ...properties } }),
    )
    const head = readHead(line, 0, line.length)!
    count.look(line, head)
    if (event.startsWith('$')) count.lookAtIdentity(line, head, event)
  })
  return count.total
}
const identify = (user: string, other: unknown): Row => ['$identify', user, { $anon_distinct_id: other }]

describe('who becomes one person', () => {
  test('anonymous ids and users, each pair once', () => {
    const found = seen([
      ['seen', 'a1'],
      identify('u1', 'a1'),
      identify('u1', 'a1'),
      identify('u1', 'a2'),
      identify('u2', 'ä"3'),
      ['seen', 'ä"3'],
    ])
    expect(found).toMatchObject({
      distinctIds: 4,
      persons: 2,
      identityEvents: 4,
      joins: 3,
      anonymous: 3,
      users: 2,
      bothSides: 0,
      largest: [
        { id: 'u1', ids: 3 },
        { id: 'u2', ids: 2 },
      ],
      taken: { count: 0 },
    })
  })

  test('an id that is another person’s already joins nobody, unless by force', () => {
    const rows = [identify('u1', 'a'), identify('u2', 'a')]
    expect(seen(rows)).toMatchObject({
      joins: 1,
      taken: { count: 1, example: expect.stringContaining('"a"') },
    })
    const forced = [...rows, ['$merge_dangerously', 'u2', { alias: 'a' }] as const]
    expect(seen(forced)).toMatchObject({ joins: 2, persons: 1, taken: { count: 1 } })
  })

  test('an alias counts as an id that is joined', () => {
    const rows: Row[] = [
      ['$create_alias', 'u1', { alias: 'b' }],
      ['$create_alias', 'b', { alias: 'c' }],
    ]
    expect(seen(rows)).toMatchObject({ joins: 2, bothSides: 1, largest: [{ ids: 3 }] })
  })

  test.each([
    ['no other id', ['$identify', 'u1', {}]],
    ['null', identify('u1', null)],
    ['no text', identify('u1', '')],
    ['one without a person', ['$identify', 'u1', { $anon_distinct_id: 'a', $process_person_profile: false }]],
    ['the name in a value', ['$identify', 'u1', { text: '"$anon_distinct_id":"a"' }]],
    ['one that is deeper', ['$identify', 'u1', { $set: { $anon_distinct_id: 'x' } }]],
  ] satisfies [string, Row][])('%s joins nothing', (_, row) => {
    expect(seen([row])).toMatchObject({ joins: 0, identityEvents: 0 })
  })

  test.each([
    ['a number', identify('u1', 7)],
    ['an id of nobody', identify('u1', 'undefined')],
    ['a user of nobody', identify('null', 'a1')],
  ])('%s is refused', (_, row) => {
    expect(seen([row])).toMatchObject({ joins: 0, ofNobody: { count: 1 } })
  })

  test('counts who has more than a hundred ids', () => {
    const rows = (ids: number) => Array.from({ length: ids - 1 }, (_, n) => identify('u1', `a${n}`))
    expect([seen(rows(100)).large, seen(rows(101)).large]).toEqual([0, 1])
  })
})

test.each([
  'null',
  'Undefined',
  '0',
  '-1',
  '"null"',
  ' guest ',
  '00000000-0000-0000-0000-000000000000',
  '[]',
])('the id %j is nobody’s', (id) => {
  const { nobody } = seen([
    ['seen', 'u1'],
    ['seen', id],
    ['seen', id],
  ])
  expect(nobody).toMatchObject({ count: 2, ids: [id] })
  expect(nobody.example).toContain(JSON.stringify(id))
})

test.each(['u1', '10', 'nullable', '00000000-0000-0000-0000-000000000001', '😀', 'a"b'])(
  'the id %j is somebody’s',
  (id) => expect(seen([['seen', id]]).nobody.count).toBe(0),
)

describe('many ids', () => {
  test('the largest persons are known, whatever came between', () => {
    const merges = new PersonMerges()
    // Person n has n + 1 ids in the end, and they come in turns.
    for (let round = 0; round < 300; round++)
      for (let user = round + 1; user <= 300; user++) merges.join(`u${user}`, `a${user}-${round}`, false)
    expect(merges.largest(3)).toEqual([
      { id: 'u300', ids: 301 },
      { id: 'u299', ids: 300 },
      { id: 'u298', ids: 299 },
    ])
    expect([merges.joins, merges.largerThan(299)]).toEqual([(300 * 301) / 2, 2])
  })

  test('are followed up to the limit, and counted after it', () => {
    const rows = Array.from({ length: 40 }, (_, n) => identify(`u${n}`, `a${n}`))
    expect(seen(rows, new PersonMerges(50))).toMatchObject({ joins: 25, unfollowed: 15 })
  })
})
