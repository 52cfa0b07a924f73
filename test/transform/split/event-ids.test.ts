import { expect, test } from 'vitest'
import { newHead, readHead } from '../../../src/record/head.ts'
import { sketchHash } from '../../../src/record/sketches.ts'
import { EventIds, hashOfGroup, senderIn } from '../../../src/transform/split/event-ids.ts'

const UUID = '0190b5c0-0000-7000-8000-000000000000'

function lineOf(event: string, id: string, properties: string): Buffer {
  return Buffer.from(
    `{"uuid":"${UUID}","timestamp":"2024-03-01T00:00:00.000000Z","event":${event},"distinct_id":${id},"properties":{"distinct_id":${id}${properties}}}`,
  )
}

function linkedBy(event: string, id: string, properties: string, groupEvent = '$groupidentify') {
  const line = lineOf(event, id, properties)
  return new EventIds(groupEvent).linkedIn(line, readHead(line, 0, line.length, newHead())!)
}

test.each([
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"a1"', 'a1'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"\\u0061 1"', 'a 1'],
  ['"\\u0024identify"', '"u1"', ',"$anon_distinct_id":" a1 "', 'a1'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":12345678901234567890', '12345678901234567890'],
  ['"$create_alias"', '"u1"', ',"alias":"u2"', 'u2'],
  ['"$merge_dangerously"', '"u1"', ',"x":{"alias":"no"},"alias":"u2"', 'u2'],
])('%s of %s with %s links %s', (event, id, properties, linked) => {
  expect(linkedBy(event, id, properties)).toBe(sketchHash(linked))
})

test.each([
  ['"$identify"', '"u1"', ''],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":null'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"u1"'],
  ['"$identify"', '"u1"', ',"$anon_distinct_id":"anonymous"'],
  ['"$identify"', '"null"', ',"$anon_distinct_id":"a1"'],
  ['"$pageview"', '"u1"', ',"$anon_distinct_id":"a1","alias":"a2"'],
  ['"buy"', '"u1"', ',"alias":"a2"'],
  ['"$groupidentify"', '"u1"', ',"$group_type":"company"'],
])('%s of %s with %s links nobody', (event, id, properties) => {
  expect(linkedBy(event, id, properties)).toBeUndefined()
})

test('a group goes with whoever changes it', () => {
  const acme = hashOfGroup({ type: 'company', key: 'acme' })
  const properties = ',"$group_type":"company","$group_key":"acme","$group_set":{}'
  expect(linkedBy('"$groupidentify"', '"u1"', properties)).toBe(acme)
  expect(linkedBy('"$groupidentify"', '"u2"', properties)).toBe(acme)
  expect(linkedBy('"$group_identify"', '"$company_acme"', properties, '$group_identify')).toBe(acme)
  expect(linkedBy('"$group_identify"', '"u1"', properties)).toBeUndefined()
  expect(hashOfGroup({ type: 'company', key: 'other' })).not.toBe(acme)
})

test('the sender is the same however it is spelled', () => {
  for (const id of ['"é"', '"\\u00e9"']) {
    const line = lineOf('"buy"', id, '')
    expect(senderIn(line, readHead(line, 0, line.length)!)).toBe('é')
  }
})
