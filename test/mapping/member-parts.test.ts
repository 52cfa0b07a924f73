import { expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { ga4 } from '../../src/presets/ga4.ts'
import { AT_2026 } from '../helpers/mapper.ts'

const element = (key: string, value: object) => ({ key, value })
const ROW = {
  event_name: 'scroll',
  event_timestamp: '1709296496789123',
  user_pseudo_id: 'u',
  event_params: [
    element('page_location', { string_value: 'https://example.com/' }),
    element('depth', { int_value: '90', string_value: null }),
    element('campaign', { string_value: '(not set)' }),
    element('nothing', { string_value: null }),
    element('twice', { int_value: '1' }),
    element('twice', { int_value: '2' }),
    element('both', { string_value: 'x', int_value: '7' }),
  ],
  user_properties: [
    element('plan', { string_value: 'team', set_timestamp_micros: '1709290000000000' }),
    element('seats', { int_value: '1' }),
    element('seats', { int_value: '2' }),
  ],
}

function accountOf(mapping: object = {}) {
  const { mapping: parsed } = parseMapping(JSON.stringify({ preset: 'ga4', ...mapping }), 'mapping')
  const mapper = new Mapper(ga4, parsed, AT_2026)
  const bytes = Buffer.from(JSON.stringify(ROW))
  // Twice: the second record has the shape of the first.
  for (let i = 0; i < 2; i++) expect(mapper.map(bytes, 0, bytes.length).status).toBe('event')
  return mapper.takeInventory().members
}

test('parameters and properties of the user are accounted for by name, each member of theirs', () => {
  expect(accountOf()).toMatchObject({
    'event_params.page_location.string_value': { 'renamed: $current_url': 2 },
    'event_params.depth.int_value': { 'renamed: depth': 2 },
    'event_params.campaign.string_value': { 'left out: empty': 2 },
    'event_params.nothing': { 'left out: empty': 2 },
    'event_params.twice.int_value': { 'renamed: $ga4_twice': 2, 'renamed: twice': 2 },
    'event_params.both.string_value': { 'renamed: both': 2 },
    'event_params.both.int_value': { 'left out: preset': 2 },
    'user_properties.plan.string_value': { 'person: $set.plan': 2 },
    'user_properties.plan.set_timestamp_micros': { 'renamed: $ga4_user_properties_set_at': 2 },
    'user_properties.seats.int_value': { 'left out: outranked': 2, 'person: $set.seats': 2 },
    user_properties: { opened: 2 },
  })
})

test('what the mapping file asks for is said of the part', () => {
  const members = accountOf({
    person_properties: 'drop',
    properties: { drop: ['depth'], rename: { both: 'either' } },
  })
  expect(members).toMatchObject({
    'event_params.depth.int_value': { 'left out: properties.drop': 2 },
    'event_params.both.string_value': { 'renamed: either': 2 },
    'user_properties.plan.string_value': { 'left out: person_properties': 2 },
  })
})
