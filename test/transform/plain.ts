import type { Mapped } from '../../src/mapping/mapped.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { type Mapping, NO_MAPPING } from '../../src/mapping/mapping.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { eventText } from '../helpers/event-text.ts'
import { AT_2026 } from '../helpers/mapper.ts'

/** A preset with little in it, to build others on. */
export const plain: Preset = {
  vendor: 'plain',
  rules: 1,
  fields: { id: '@id', event: '@event', user: '@user', anon: '@anon', time: '@time', '*': '*' },
  recognises: [],
  events: { Old: 'New' },
  empty: ['(none)'],
  eventName: (record) => record.text('event'),
  uuid: () => '11111111-1111-4111-8111-111111111111',
  distinctId: (record) => record.text('user'),
  anonymousId: (record) => record.text('anon'),
  timestamp: () => Date.UTC(2024, 2, 1) * 1000,
}

/** What every event gets. */
export const ADDED = {
  $geoip_disable: true,
  $lib: 'posthaul',
  $lib_version: '9.9.9',
  analytics_source: 'plain',
}

export function engineOf(
  preset: Partial<Preset> = {},
  mapping: Partial<Mapping> | string = {},
  hashKey?: string,
): Mapper {
  const given = typeof mapping === 'string' ? parseMapping(mapping, 'mapping.yaml').mapping : mapping
  return new Mapper({ ...plain, ...preset }, { ...NO_MAPPING, ...given }, { ...AT_2026, hashKey })
}

/** Maps one record, an object or its JSON text, and says what came of it. */
export function mapWith(mapper: Mapper, record: object | string): { mapped: Mapped; line: string } {
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const mapped = mapper.map(line, 0, line.length)
  return { mapped, line: eventText(mapped) }
}

/** The properties of the event that a record becomes, without those that every event gets. */
export function ownProperties(mapper: Mapper, record: object | string): Record<string, unknown> {
  const { mapped, line } = mapWith(
    mapper,
    typeof record === 'string' ? record : { event: 'E', user: 'u', ...record },
  )
  if (mapped.status !== 'event') throw new Error(`no event came of it: ${JSON.stringify(mapped)}`)
  const { distinct_id: _, ...properties } = JSON.parse(line).properties
  for (const name of Object.keys(ADDED)) delete properties[name]
  return properties
}
