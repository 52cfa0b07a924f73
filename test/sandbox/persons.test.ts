import { describe, expect, test } from 'vitest'
import { type Join, PersonIndex } from '../../src/sandbox/store/persons.ts'
import { rows, startHarness } from './harness.ts'

const joined = (...joins: Join[]): PersonIndex => {
  const index = new PersonIndex()
  for (const join of joins) index.apply(join)
  return index
}
const identify = (distinctId: string, other: string): Join => ({ event: '$identify', distinctId, other })

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
    const index = joined(identify('ann', 'anon-1'), identify('bob', 'ann'), identify('cat', 'anon-1'))
    expect([index.rootOf('ann'), index.rootOf('anon-1')]).toEqual(['ann', 'ann'])
    index.apply({ event: '$merge_dangerously', distinctId: 'bob', other: 'ann' })
    expect([index.rootOf('ann'), index.rootOf('anon-1')]).toEqual(['bob', 'bob'])
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
  ) => ({
    event: 'a',
    distinct_id,
    properties: { $geoip_disable: true, ...properties },
    ...more,
  })
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
