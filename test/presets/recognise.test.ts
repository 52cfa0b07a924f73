import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { PRESET_NAMES } from '../../src/presets/index.ts'
import { recognise } from '../../src/presets/recognise.ts'

const FIXTURES = new URL('../../fixtures/', import.meta.url)

function recordsOf(preset: string): Array<[file: string, records: unknown[]]> {
  const folder = new URL(`${preset}/valid/`, FIXTURES)
  return readdirSync(folder).map((file) => {
    const { input } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'))
    return [file, [input].flat().map((line: string) => JSON.parse(line) as unknown)]
  })
}

// RudderStack's calls are Segment's but for a few members, which not every case has; rows of a warehouse are of many tables.
const WHOLE: Readonly<Record<string, readonly string[]>> = {
  rudderstack: ['track-web.json', 'request-ip.json'],
  'segment-warehouse': ['event-table.json', 'tracks.json'],
}
/** Records that fit another preset as well: they lose nothing by it. */
const ALIKE: Readonly<Record<string, string>> = {
  rudderstack: 'segment',
  'segment-warehouse': 'segment',
  posthog: 'events',
  events: 'posthog',
}

test.each(PRESET_NAMES)('the records of %s are known', async (preset) => {
  const cases = recordsOf(preset).filter(([file]) => WHOLE[preset]?.includes(file) ?? true)
  const found = await recognise(cases.flatMap(([, records]) => records))
  expect(found?.preset).toBe(preset)
})

test.each(PRESET_NAMES)('no record of %s is taken for those of another vendor', async (preset) => {
  for (const [file, records] of recordsOf(preset)) {
    const found = (await recognise(records))?.preset ?? preset
    expect([preset, ALIKE[preset]], file).toContain(found)
  }
})

test.each([
  ['nothing', []],
  ['no objects', [1, 'a', null, ['event']]],
  ['members of their own', [{ name: 'a', at: '2024-03-01', who: 'u' }]],
  ['too few that fit', [{ event_name: 'E', event_timestamp: 1, user_pseudo_id: 'u' }, {}, {}]],
])('%s fit no preset', async (_, records) => expect(await recognise(records)).toBeUndefined())

test('says by which members, and of how many records', async () => {
  const row = { event: 'E', distinct_id: 'u', timestamp: '2024-03-01' }
  expect(await recognise([row, row, { event: 'E' }])).toMatchObject({
    preset: 'events',
    members: ['event', 'distinct_id', 'timestamp'],
    records: 2,
  })
  // Properties as text, as a table has them.
  expect(await recognise([{ ...row, properties: '{}' }])).toMatchObject({ preset: 'posthog' })
})

test('a body of the webhook of Statsig is known by its first event, whichever member names the user', async () => {
  const event = { eventName: 'E', timestamp: 1, metadata: {} }
  expect(await recognise([{ data: [{ ...event, user: {} }] }])).toMatchObject({ preset: 'statsig' })
  expect(await recognise([{ data: [{ ...event, userID: 'u' }] }])).toMatchObject({ preset: 'statsig' })
  expect(await recognise([{ data: [{ name: 'E', timestamp: 1 }] }])).toBeUndefined()
})
