import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  assertParts,
  findManifest,
  MANIFEST,
  readEventsManifest,
  readManifest,
  writeManifest,
} from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import type { EventsManifest, RawManifest } from '../../src/store/manifest.ts'

const open = async () => new LocalStore(await mkdtemp(join(tmpdir(), 'posthaul-dataset-')))

const SHA = 'a'.repeat(64)
const first = '2024-03-01T00:00:00.000000Z'
const events: EventsManifest = {
  version: 1,
  kind: 'events',
  tool: 'posthaul 0.1.0',
  created_at: '2024-04-01T12:00:00.000Z',
  source: { preset: 'mixpanel' },
  parts: [
    { file: '2024-03-01.ndjson', day: '2024-03-01', events: 3, bytes: 5, sha256: SHA, first, last: first },
  ],
  counts: { read: 5, written: 2, rejected: 1, filtered: 1, duplicate: 1, pending: 0, generated: 1 },
  days: { '2024-03-01': { $pageview: 2, __proto__x: 1 } },
  rejects: { bad_json: 1 },
  mends: {},
  big_integers: { order_id: 4 },
}
const raw: RawManifest = {
  ...events,
  kind: 'raw',
  parts: [
    {
      file: '2024-03-01T05.ndjson.gz',
      window: '2024-03-01T05',
      events: 3,
      bytes: 9,
      sha256: SHA,
      first: null,
      last: null,
    },
  ],
  days: {},
}

test.each([events, raw])('a manifest comes back as it was written: $kind', async (manifest) => {
  const store = await open()
  expect(await findManifest(store)).toBeUndefined()
  await writeManifest(store, manifest)
  expect(await readManifest(store)).toEqual(manifest)
})

test('an event named __proto__ is counted like any other', async () => {
  const store = await open()
  const days = JSON.parse('{"2024-03-01":{"__proto__":2,"constructor":1}}')
  await writeManifest(store, { ...events, days })
  const read = await readEventsManifest(store)
  expect(Object.entries(read.days['2024-03-01']!)).toEqual([
    ['__proto__', 2],
    ['constructor', 1],
  ])
})

test('replaces a manifest only when it is the one that was found', async () => {
  const store = await open()
  await writeManifest(store, events, 'absent')
  const { version } = (await findManifest(store))!
  await writeManifest(store, raw, { version })
  await expect(writeManifest(store, events, { version })).rejects.toMatchObject({ code: 'mismatch' })
  expect((await readManifest(store)).kind).toBe('raw')
})

test('raw records are not for importing', async () => {
  const store = await open()
  await writeManifest(store, raw)
  await expect(readEventsManifest(store)).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('posthaul transform --preset mixpanel --in '),
  })
})

test('a folder without a manifest is not finished', async () => {
  await expect(readManifest(await open())).rejects.toMatchObject({ code: 'input', hint: expect.any(String) })
})

test.each<[string, object, string]>([
  ['a newer version', { version: 2 }, 'its version is 2'],
  ['an unknown key', { colour: 'red' }, 'colour'],
  ['a kind of its own', { kind: 'other' }, 'kind'],
  ['a part outside the folder', { parts: [{ ...events.parts[0], file: '../x' }] }, 'parts.0.file'],
  ['a hidden part', { parts: [{ ...events.parts[0], file: '.x' }] }, 'parts.0.file'],
  ['a broken hash', { parts: [{ ...events.parts[0], sha256: 'abc' }] }, 'parts.0.sha256'],
  ['no parts for its events', { parts: [] }, 'sum of written and generated'],
  ['a lost record', { counts: { ...events.counts, rejected: 0 } }, 'counts: read is not the sum'],
  ['a negative count', { counts: { ...events.counts, pending: -1 } }, 'counts.pending'],
  ['a day of the wrong size', { days: { '2024-03-01': { a: 2 } } }, 'different numbers'],
  ['a day that is none', { days: { yesterday: { a: 3 } } }, 'days.yesterday'],
  ['a count that is none', { days: { '2024-03-01': { a: '3' } } }, 'days.2024-03-01'],
])('refuses %s, written by hand or by a bug', async (_what, change, said) => {
  const store = await open()
  const wrong = { ...events, ...change }
  await expect(writeManifest(store, wrong as EventsManifest)).rejects.toThrow(/a wrong manifest/)
  await store.put(MANIFEST, Buffer.from(JSON.stringify(wrong)))
  await expect(readManifest(store)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(said),
  })
})

test.each(['', '{"version":1', '[]', 'null', '\xff'])('refuses a file that says %j', async (text) => {
  const store = await open()
  await store.put(MANIFEST, Buffer.from(text, 'latin1'))
  await expect(readManifest(store)).rejects.toMatchObject({ code: 'input' })
})

test('sees a part that is missing or was cut', async () => {
  const store = await open()
  await expect(assertParts(store, events)).rejects.toMatchObject({
    message: expect.stringContaining('is missing'),
  })
  await store.put('2024-03-01.ndjson', Buffer.from('1234'))
  await expect(assertParts(store, events)).rejects.toMatchObject({
    message: expect.stringContaining('has 4 bytes'),
  })
  await store.put('2024-03-01.ndjson', Buffer.from('12345'))
  await assertParts(store, events)
})
