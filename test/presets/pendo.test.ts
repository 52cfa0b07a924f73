import { describe, expect, test } from 'vitest'
import { pendo } from '../../src/presets/pendo.ts'
import { folded, makeEngine, mapOne } from './map-one.ts'

const ROW = {
  periodId: '2024-04-14',
  eventId: 'k7',
  eventType: 'load',
  visitorId: 'user-42',
  browserTimestamp: 1713081600123,
}

describe('ids', () => {
  // Made with another implementation of UUID version 5.
  test.each([
    [ROW, 'be610385-720a-5a24-97e4-d010b8393f69'],
    [{ ...ROW, appId: -323232 }, '30f05db2-bcea-5039-b6e0-81ddfbeedb89'],
    [{ ...ROW, eventId: '6F0D2C1B-9A41-4C0E-8F7E-2B1F4C9D8A77' }, '6f0d2c1b-9a41-4c0e-8f7e-2b1f4c9d8a77'],
  ])('%o', (row, uuid) => expect(mapOne(pendo, row).event?.uuid).toBe(uuid))
})

test('rows that match one event fold into their ids, in whatever order they come', () => {
  const rows = [{ matchableId: 'Page/b' }, { matchableId: 'a' }, { matchableId: 'b' }, {}]
  const all = { matchableId: 'a', matchableIds: ['a', 'b'] }
  expect(folded(pendo, 'matchedPageEvents', rows)).toEqual(all)
  expect(folded(pendo, 'matchedPageEvents', rows.reverse())).toEqual(all)
  expect(folded(pendo, 'matchedPageEvents', [{ matchableId: 'a' }])).toEqual({ matchableId: 'a' })
})

test('of a definition in several exports the one that was changed last stands', () => {
  const rows = [9, 11, 10].map((hour) => ({
    id: 'p',
    name: `as of ${hour}`,
    lastUpdatedAt: `2024-04-14T${String(hour).padStart(2, '0')}:00:00Z`,
  }))
  expect(folded(pendo, 'allPages', rows)).toMatchObject({ name: 'as of 11' })
  expect(folded(pendo, 'allPages', rows.reverse())).toMatchObject({ name: 'as of 11' })
})

test.each([
  ['2024-04-15T08:00:00.123Z', []],
  ['2024-04-15T08:00:00.124Z', [/a wrong clock/]],
  ['2024-04-13T08:00:00.122Z', [/a wrong clock/]],
  ['no time', []],
])('an event received at %s: %o', (receivedTimestamp, warnings) => {
  const mapper = makeEngine(pendo)
  const line = Buffer.from(JSON.stringify({ ...ROW, receivedTimestamp }))
  mapper.map(line, 0, line.length)
  const said = Object.keys(mapper.takeNotes().unusable)
  expect(said).toEqual(warnings.map((warning) => expect.stringMatching(warning)))
})
