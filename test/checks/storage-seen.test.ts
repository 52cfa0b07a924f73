import { describe, expect, test } from 'vitest'
import { ALL_READ, StorageSeen } from '../../src/checks/storage-seen.ts'
import { readHead } from '../../src/record/head.ts'

let made = 0
function lineOf(properties: string, { event = 'seen', id = 'u1' } = {}): Buffer {
  const uuid = `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`
  return Buffer.from(
    `{"uuid":"${uuid}","timestamp":"2024-03-01T00:00:00.000000Z","event":${JSON.stringify(event)},` +
      `"distinct_id":${JSON.stringify(id)},"properties":{"distinct_id":${JSON.stringify(id)}${properties}}}`,
  )
}

const see = (seen: StorageSeen, line: Buffer) => seen.look(line, readHead(line, 0, line.length)!)

function found(line: Buffer) {
  const seen = new StorageSeen()
  see(seen, line)
  const { kinds } = seen.total
  return Object.fromEntries(
    Object.entries(kinds).map(([kind, { places }]) => [kind, places.map(({ property }) => property)]),
  )
}

describe('one event', () => {
  const deep = '[[[[[[[[[1]]]]]]]]]'
  test.each([
    [`,"a":${deep}`, { unreadable_properties: ['a'] }],
    [`,"a":{"b":${deep}}`, { unreadable_properties: ['a'] }],
    [`,"a":${deep.slice(1, -1)}`, {}],
    [`,"a":${'{"b":'.repeat(120)}1${'}'.repeat(120)}`, { unreadable_properties: ['properties'] }],
    [',"$ai_input":"x","plan":{"$ai_input":"x"}', { dropped_properties: ['$ai_input'] }],
    [',"$set":{"$ai_input":1},"$unset":["a"]', { person_history: ['$set', '$unset'] }],
    [',"$sent_at":"x","$sdk_debug_a":1', { temporary_properties: ['$sent_at', '$sdk_debug_a'] }],
    [',"$feature/new":true', { flag_properties: ['$feature/new'] }],
    [
      ',"$os":1,"$lib":true,"$browser":false,"$timezone":null',
      { text_properties: ['$os', '$lib', '$browser'] },
    ],
    [',"$os":"1","$set":{"$os":1}', { person_history: ['$set'] }],
    [',"n":[true,1]', { mixed_lists: ['n'] }],
    [',"n":{"a":[[false],["x"]]}', { mixed_lists: ['n'] }],
    [',"n":[true,false,null],"m":["true",1]', {}],
    [
      ',"$exception_types":"a","$exception_values":[1],"$exception_sources":["a"]',
      { list_properties: ['$exception_types', '$exception_values'] },
    ],
    [',"$exception_list":"[]","$exception_functions":null', { list_properties: ['$exception_list'] }],
    [',"$exception_list":[{"type":"E"}],"x":{"$exception_types":1}', {}],
    [',"n":9007199254740993', {}],
    [`,"a":"${'x'.repeat(600_000)}"`, {}],
  ])('%.60s', (properties, kinds) => expect(found(lineOf(properties))).toEqual(kinds))

  test('an id is measured in bytes', () => {
    expect(found(lineOf('', { id: 'é'.repeat(101) }))).toEqual({ long_distinct_ids: ['distinct_id'] })
    expect(found(lineOf('', { id: 'é'.repeat(100) }))).toEqual({})
    expect(found(lineOf('', { id: '"'.repeat(150) }))).toEqual({})
  })
})

test('counts by event and property, with the first event as example', () => {
  const seen = new StorageSeen()
  const first = lineOf(',"$os":7', { event: 'a "b"' })
  for (const line of [first, lineOf(',"$os":8'), lineOf(',"$os":9')]) see(seen, line)
  const { kinds, isSampled } = seen.total
  expect(isSampled).toBe(false)
  expect(kinds.text_properties).toEqual({
    count: 3,
    example: `${first.toString('utf8', 9, 45)}: event "a \\"b\\"", $os 7`,
    places: [
      { event: 'seen', property: '$os', count: 2 },
      { event: 'a "b"', property: '$os', count: 1 },
    ],
  })
})

test('of many events a part is read for names, and all for what makes an event unreadable', () => {
  const [part, whole] = [new StorageSeen(), new StorageSeen(true)]
  const [plain, deep] = [lineOf(',"$os":7'), lineOf(',"$os":7,"a":[[[[[[[[[1]]]]]]]]]')]
  for (const seen of [part, whole]) {
    for (let i = 0; i < ALL_READ + 6400; i++) see(seen, plain)
    for (let i = 0; i < 5; i++) see(seen, deep)
  }
  expect(part.total.isSampled).toBe(true)
  expect(whole.total.isSampled).toBe(false)
  expect(whole.total.kinds.text_properties?.count).toBe(ALL_READ + 6405)
  expect(part.total.kinds.text_properties?.count).toBeGreaterThanOrEqual(ALL_READ + 6336)
  expect(part.total.kinds.text_properties?.count).toBeLessThanOrEqual(ALL_READ + 6464)
  for (const { kinds } of [part.total, whole.total]) expect(kinds.unreadable_properties?.count).toBe(5)
})
