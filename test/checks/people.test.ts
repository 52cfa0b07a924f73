import { expect, test } from 'vitest'
import { PeopleSample } from '../../src/checks/people.ts'

test('a list of groups names no type that a query could find', () => {
  const sample = new PeopleSample()
  for (const $groups of [['acme'], 'acme', null, { company: 'a' }])
    sample.look({ event: 'x', distinct_id: 'a', timestamp: '', uuid: '', properties: { $groups } })
  expect([...sample.types]).toEqual(['company'])
})
