import { describe, expect, test } from 'vitest'
import { type Join, PersonIndex } from '../../src/sandbox/store/identities.ts'
import { rows, startHarness, uuid } from './harness.ts'

const joined = (...joins: Join[]): PersonIndex => {
  const index = new PersonIndex()
  for (const join of joins) index.apply(join)
  return index
}
const identify = (distinctId: string, other: string, ...known: string[]): Join => {
  return { event: '$identify', distinctId, other, known }
}

describe('who is who', () => {
  test('an anonymous visitor joins the one who logs in', () => {
    const index = joined(identify('ann', 'anon-1'), identify('ann', 'anon-2'))
    expect(['ann', 'anon-1', 'anon-2', 'bob'].map((id) => index.rootOf(id))).toEqual([
      'ann',
      'ann',
      'ann',
      'bob',
    ])
  })

  test('who is known already joins nobody, but by the dangerous merge', () => {
    const index = joined(identify('ann', 'anon-1'))
    expect(index.apply(identify('bob', 'ann', 'bob'))).toBe('cannot_merge_already_identified')
    expect(index.apply(identify('cat', 'anon-1', 'cat'))).toBe('cannot_merge_already_identified')
    expect([index.rootOf('ann'), index.rootOf('anon-1')]).toEqual(['ann', 'ann'])
    index.apply({ event: '$merge_dangerously', distinctId: 'bob', other: 'ann', known: [] })
    expect([index.rootOf('ann'), index.rootOf('anon-1')]).toEqual(['bob', 'bob'])
  })

  test('a new id is attached to the person of the other one, even of who is known already', () => {
    const index = joined(identify('ann', 'anon-1'))
    expect(index.apply(identify('bob', 'ann'))).toBeUndefined()
    expect(index.rootOf('bob')).toBe('ann')
    expect(joined(identify('dan', 'anon-2', 'anon-2')).rootOf('dan')).toBe('anon-2')
  })

  test.each(['Anonymous', 'GUEST', 'null', '0', '[object Object]', '"undefined"', "'email'", ' ', '""'])(
    'nobody is %s',
    (id) => {
      expect(joined(identify('ann', id)).rootOf(id)).toBe(id)
      expect(joined(identify(id, 'anon')).rootOf('anon')).toBe('anon')
    },
  )

  test('names that only look like nobody are somebody', () => {
    expect(joined(identify('ann', 'NULL')).rootOf('NULL')).toBe('ann')
  })
})

test('persons carry their ids and the last of each property', async () => {
  const { sandbox, send } = await startHarness()
  const person = (
    distinct_id: string,
    { properties = {}, ...more }: { properties?: object; $set?: object; $set_once?: object },
  ) => ({ event: 'a', distinct_id, properties: { $geoip_disable: true, ...properties }, ...more })
  await send([
    person('anon', { $set: { plan: 'free' }, $set_once: { first: 1 } }),
    person('ann', { $set: { plan: 'pro' }, properties: { $set_once: { first: 2, second: 2 } } }),
    {
      event: '$identify',
      distinct_id: 'ann',
      properties: { $anon_distinct_id: 'anon', $geoip_disable: true },
    },
    person('bob', { properties: { $process_person_profile: false, $set: { plan: 'none' } } }),
  ])
  const table = () => rows(sandbox, 'SELECT distinct_ids, is_identified, properties FROM persons ORDER BY 1')
  expect(await table()).toEqual([[['ann', 'anon'], true, '{"first":1,"plan":"pro","second":2}']])
  await send([{ event: '$create_alias', distinct_id: 'ann', properties: { alias: 'bob' } }])
  expect((await table())[0]?.[0]).toEqual(['ann', 'anon', 'bob'])
  expect(await rows(sandbox, 'SELECT count(DISTINCT person_id), count() FROM events')).toEqual([[1, 5]])
  expect(await rows(sandbox, "SELECT person.properties.plan FROM events WHERE distinct_id = 'anon'")).toEqual(
    [['pro']],
  )
})

test('a person is born with the event that made it, and a merge takes the earlier birth', async () => {
  const { sandbox, send } = await startHarness()
  const event = (distinct_id: string, day: number, more: object = {}) => {
    return { event: 'e', distinct_id, timestamp: `2024-03-0${day}T00:00:00Z`, ...more }
  }
  const joins = (distinct_id: string, $anon_distinct_id: string) =>
    event(distinct_id, 1, { event: '$identify', properties: { $anon_distinct_id } })
  const births = () => rows(sandbox, 'SELECT distinct_ids, toString(created_at) FROM persons ORDER BY 1')
  const at = (day: number) => expect.stringContaining(`2024-03-0${day}`)
  await send([event('ann', 5), event('anon', 3), event('ann', 2)])
  expect(await births()).toEqual([
    [['ann'], at(5)],
    [['anon'], at(3)],
  ])
  await send([joins('ann', 'anon'), joins('new', 'ann')])
  expect(await births()).toEqual([[['ann', 'anon', 'new'], at(3)]])
})

test('what would make a person larger than 655,360 bytes is refused, and warned of', async () => {
  const { sandbox, send, get } = await startHarness({ now: () => Date.parse('2024-03-02T00:00:00Z') })
  const big = (bytes: number) => 'x'.repeat(bytes)
  const set = (n: number, $set: object, more: object = {}) => {
    const properties = { $geoip_disable: true, ...more, $set }
    return { uuid: uuid(n), event: 'e', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z', properties }
  }
  await send([
    set(1, { a: big(400_000), plan: 'free' }),
    set(2, { b: big(255_400), plan: 'pro' }, { $unset: ['plan'] }),
    set(3, { plan: 'team' }),
    set(4, {}, { $set_once: { a: big(400_001), c: 1 } }),
    set(5, { b: big(255_326) }),
    set(6, { b: big(255_325) }),
  ])
  const stored = await rows(sandbox, 'SELECT length(properties), properties.plan, properties.c FROM persons')
  expect(stored).toEqual([[655_360, 'team', '1']])
  expect((await get('/api/projects/1/ingestion_warnings_v2/')).json()).toMatchObject([
    { type: 'person_properties_size_violation', category: 'size', count: 2, samples: [{}, {}] },
  ])
})
