import { expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { events } from '../../src/presets/events.ts'

const { mapping } = parseMapping(
  'fields: { event: event, distinct_id: user, timestamp: at }\nsource_timezone: Europe/London',
  'm',
)

test.each<[at: string, twice: number, skipped: number]>([
  ['2024-10-27 01:30:00', 1, 0],
  ['2024-03-31 01:30:00', 0, 1],
  // These say their own offset, though it is that of the zone.
  ['2024-10-27T01:30:00+01:00', 0, 0],
  ['2024-03-31T01:30:00Z', 0, 0],
  ['2024-06-01 01:30:00', 0, 0],
])('a time that the clocks had twice, or never, is counted: %s', (at, clock_twice, clock_skipped) => {
  const options = {
    now: Date.UTC(2026, 0, 1) * 1000,
    version: '1',
    importId: null,
    groupEventName: '$groupidentify',
    switches: [],
  }
  const mapper = new Mapper(events, mapping, options as never)
  const line = Buffer.from(JSON.stringify({ event: 'a', user: 'u', at }))
  expect(mapper.map(line, 0, line.length)).toMatchObject({ status: 'event' })
  expect(mapper.takeNotes().mends).toMatchObject({ clock_twice, clock_skipped })
})
