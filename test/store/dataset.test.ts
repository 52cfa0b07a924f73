import { expect, test } from 'vitest'
import {
  assertParts,
  assertPlaceFor,
  findManifest,
  readEventsManifest,
  readManifest,
  writeManifest,
} from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import type { EventsManifest, RawManifest } from '../../src/store/manifest.ts'
import { EXPORT_STATE, MANIFEST } from '../../src/store/name.ts'
import { testFolder } from '../helpers/folder.ts'

const open = () => new LocalStore(testFolder())

const SHA = 'a'.repeat(64)
const first = '2024-03-01T00:00:00.000000Z'
const events: EventsManifest = {
  version: 2,
  kind: 'events',
  tool: 'posthaul 0.1.0',
  created_at: '2024-04-01T12:00:00.000Z',
  source: { preset: 'mixpanel' },
  rules: 'mixpanel 1.1',
  import_ids: ['a'],
  records: { read: 5, mapped: 3, rejected: 1, filtered: 1 },
  events: { made: 4, written: 3, rejected: 0, duplicate: 1, generated: 1 },
  rejects: { bad_json: 1 },
  filtered: { before_from: 1 },
  mends: {},
  big_integers: { order_id: 4 },
  members: { 'properties.time': { 'used: timestamp': 3 } },
  other_members: {},
  names: { $pageview: 2, __proto__x: 1 },
  other_names: 0,
  days: { '2024-03-01': 3 },
  properties: { order_id: 3 },
  other_properties: 0,
  group_types: { company: { events: 2, oldest: first } },
  groups: { company: { events: 2, oldest: first } },
  distinct_ids: { approximate: 2 },
  arrival: { file: 'arrival.ndjson', bytes: 7, sha256: SHA, lines: 3 },
  links: { file: 'links.ndjson', bytes: 14, sha256: SHA, lines: 1 },
  parts: [
    { file: '2024-03-01.ndjson', day: '2024-03-01', events: 3, bytes: 5, sha256: SHA, first, last: first },
  ],
}
const window = { window: '2024-03-01T05', first: null, last: null }
const raw: RawManifest = {
  version: 2,
  kind: 'raw',
  tool: 'posthaul 0.1.0',
  created_at: '2024-04-01T12:00:00.000Z',
  source: { preset: 'mixpanel' },
  records: 3,
  parts: [{ file: '2024-03-01T05.ndjson.gz', events: 3, bytes: 9, sha256: SHA, ...window }],
}

test.each([events, raw])('a manifest comes back as it was written: $kind', async (manifest) => {
  const store = open()
  expect(await findManifest(store)).toBeUndefined()
  await writeManifest(store, manifest)
  expect(await readManifest(store)).toEqual(manifest)
})

test('an event named __proto__ is counted like any other', async () => {
  const store = open()
  const names = JSON.parse('{"__proto__":2,"constructor":1}')
  await writeManifest(store, { ...events, names })
  const read = await readEventsManifest(store)
  expect(Object.entries(read.names)).toEqual([
    ['__proto__', 2],
    ['constructor', 1],
  ])
})

test('replaces a manifest only when it is the one that was found', async () => {
  const store = open()
  await writeManifest(store, events, 'absent')
  const { version } = (await findManifest(store))!
  await writeManifest(store, { ...events, tool: 'posthaul 0.2.0' }, { version })
  await expect(writeManifest(store, events, { version })).rejects.toMatchObject({ code: 'mismatch' })
  expect((await readManifest(store)).tool).toBe('posthaul 0.2.0')
})

const groups: EventsManifest = { ...events, source: { preset: 'posthog', kind: 'groups' } }

test.each([
  [events, raw, 'the dataset that mixpanel made of'],
  [events, groups, 'the dataset that mixpanel made of'],
  [groups, events, 'the dataset of groups'],
  [groups, raw, 'the dataset of groups'],
  [raw, events, 'the raw records that were exported from mixpanel'],
  [raw, groups, 'the raw records that were exported from mixpanel'],
])('a manifest of one kind is not replaced by one of another (%#)', async (held, other, words) => {
  const store = open()
  await writeManifest(store, held)
  await expect(writeManifest(store, other)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(words),
  })
  expect(await readManifest(store)).toEqual(held)
  await writeManifest(store, held)
})

test('parts that no export asked for are none of its windows', async () => {
  const store = open()
  await store.put('2024-03-01.ndjson.gz', Buffer.from('events'))
  await expect(assertPlaceFor(store, 'raw')).rejects.toMatchObject({ code: 'input' })
  await assertPlaceFor(store, 'events')
  await store.put(EXPORT_STATE, Buffer.from('{}'))
  await assertPlaceFor(store, 'raw')
  await expect(assertPlaceFor(store, 'events')).rejects.toMatchObject({ code: 'input' })
})

test('raw records are not for importing', async () => {
  const store = open()
  await writeManifest(store, raw)
  await expect(readEventsManifest(store)).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('posthaul transform --preset mixpanel --in '),
  })
})

test('a folder without a manifest is not finished', async () => {
  await expect(readManifest(open())).rejects.toMatchObject({ code: 'input', hint: expect.any(String) })
})

test.each<[string, object, string]>([
  ['a newer version', { version: 3 }, 'was written by another version of posthaul'],
  ['an unknown key', { colour: 'red' }, 'colour'],
  ['a kind of its own', { kind: 'other' }, 'kind'],
  ['a part outside the folder', { parts: [{ ...events.parts[0], file: '../x' }] }, 'parts.0.file'],
  ['a hidden part', { parts: [{ ...events.parts[0], file: '.x' }] }, 'parts.0.file'],
  ['a broken hash', { parts: [{ ...events.parts[0], sha256: 'abc' }] }, 'parts.0.sha256'],
  ['no parts for its events', { parts: [] }, 'not as many as were written'],
  ['a lost record', { records: { ...events.records, rejected: 0 } }, 'records: read is not the sum'],
  ['a lost event', { events: { ...events.events, made: 3 } }, 'events: made is not the sum'],
  ['a negative count', { records: { ...events.records, read: -1 } }, 'records.read'],
  ['a day of the wrong size', { days: { '2024-03-01': 2 } }, 'different numbers'],
  ['a name too few', { names: { $pageview: 2 } }, 'the names and the parts'],
  ['a day that is none', { days: { yesterday: 3 } }, 'days.yesterday'],
  ['a count that is none', { days: { '2024-03-01': '3' } }, 'days.2024-03-01'],
])('refuses %s, written by hand or by a bug', async (_what, change, said) => {
  const store = open()
  const wrong = { ...events, ...change }
  await expect(writeManifest(store, wrong as EventsManifest)).rejects.toThrow(/a wrong manifest/)
  await store.put(MANIFEST, Buffer.from(JSON.stringify(wrong)))
  await expect(readManifest(store)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(said),
  })
})

test('sees a part that is missing or was cut', async () => {
  const store = open()
  await expect(assertParts(store, events)).rejects.toMatchObject({
    message: expect.stringContaining('is missing'),
  })
  await store.put('2024-03-01.ndjson', Buffer.from('1234'))
  await expect(assertParts(store, events)).rejects.toMatchObject({
    message: expect.stringContaining('has 4 bytes'),
  })
  await store.put('2024-03-01.ndjson', Buffer.from('12345'))
  await expect(assertParts(store, events)).rejects.toMatchObject({
    message: expect.stringContaining('arrival.ndjson is missing'),
  })
  await store.put('arrival.ndjson', Buffer.from('1234567'))
  await store.put('links.ndjson', Buffer.from('{"version":1}\n'))
  await assertParts(store, events)
})
