import { expect, test } from 'vitest'
import { snowplow } from '../../src/presets/snowplow.ts'
import { propertiesOf } from './map-one.ts'

const ROW = {
  collector_tstamp: '2024-06-01 08:22:03.000',
  event: 'page_view',
  event_id: 'c6ef3124-b53a-4b13-a233-0088f79d0000',
  event_name: 'page_view',
  domain_userid: '4b0dfa75-9a8c-46a1-9691-01add9db4200',
}

test('an entity that is called as what every object has keeps its members', () => {
  const data = [{ schema: 'iglu:com.example/constructor/jsonschema/1-0-0', data: { name: 'a', length: 1 } }]
  const contexts = JSON.stringify({ schema: 'iglu:contexts', data })
  expect(propertiesOf(snowplow, { ...ROW, contexts })).toMatchObject({
    constructor: { name: 'a', length: 1 },
  })
})
