import { describe, expect, test } from 'vitest'
import { joinsIds } from '../../src/checks/event-in.ts'
import { PeopleCount } from '../../src/checks/inspect.ts'
import { headed, makeEvent } from '../helpers/events.ts'

type Row = readonly [event: string, id: string, properties?: object]

function seen(rows: readonly Row[]) {
  const count = new PeopleCount()
  rows.forEach(([event, distinct_id, properties = {}], n) => {
    const [line, head] = headed({ ...makeEvent(n), event, distinct_id, properties: { ...properties } })
    count.look(line, head)
    if (event.startsWith('$') && joinsIds(line, head, event)) count.identityEvents++
  })
  return count.total
}
const identify = (user: string, other: unknown): Row => ['$identify', user, { $anon_distinct_id: other }]

describe('identity events', () => {
  test('are counted beside distinct ids', () => {
    const found = seen([
      ['seen', 'a1'],
      identify('u1', 'a1'),
      identify('u1', 'a2'),
      ['$create_alias', 'u1', { alias: 'b' }],
    ])
    expect(found).toMatchObject({ distinctIds: 2, identityEvents: 3 })
  })

  test.each([
    ['no other id', ['$identify', 'u1', {}]],
    ['null', identify('u1', null)],
    ['no text', identify('u1', '')],
    ['one without a person', ['$identify', 'u1', { $anon_distinct_id: 'a', $process_person_profile: false }]],
    ['the name in a value', ['$identify', 'u1', { text: '"$anon_distinct_id":"a"' }]],
    ['one that is deeper', ['$identify', 'u1', { $set: { $anon_distinct_id: 'x' } }]],
  ] satisfies [string, Row][])('%s joins nothing', (_, row) => {
    expect(seen([row]).identityEvents).toBe(0)
  })
})

const NIL = '00000000-0000-0000-0000-000000000000'
test.each(['null', 'Undefined', '0', '-1', '"null"', ' guest ', NIL, '[]'])('the id %j is nobody’s', (id) => {
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
