import { expect, test } from 'vitest'
import { enginePreset, type OwnPreset } from '../../src/mapping/own-preset.ts'
import { Filtered, type RecordView, Rejection } from '../../src/mapping/preset.ts'
import { PresetTrial } from '../../src/mapping-tests/try-preset.ts'
import { parseTime } from '../../src/record/time.ts'
import { uuidV5 } from '../../src/record/uuid.ts'

const NAMESPACE = '6ba7b810-9dad-11d1-80b4-00c04fd430c8'
const UUID = '0187d5f0-0000-4000-8000-000000000001'

/** A preset without a fault. */
const SOUND: OwnPreset = {
  vendor: 'acme',
  fields: {
    id: '@id',
    kind: '@kind',
    who: '@who',
    at: '@at',
    company: '@company',
    person: '@person',
    'data.*': '*',
  },
  uuid: (record) => record.text('id'),
  eventName(record) {
    if (record.text('kind') === 'ping') throw new Filtered('pings')
    return record.text('kind')
  },
  distinctId: (record) => record.text('who'),
  timestamp: (record) => parseTime(record.text('at') ?? ''),
  perform(record, draft) {
    for (const [name, json] of record.entries('person')) draft.set(name, json)
    const company = record.text('company')
    if (company !== undefined) draft.group('company', company)
  },
}

const RECORD = {
  id: UUID,
  kind: 'signup',
  who: 'u1',
  at: '2023-05-01 10:00:00',
  company: 'acme',
  person: { email: 'ana@example.com', plan: 'pro' },
  data: { seats: 3 },
}
const LINE = `{"uuid":"${UUID}","timestamp":"2023-05-01T10:00:00.000000Z","event":"signup","distinct_id":"u1","properties":{"distinct_id":"u1","seats":3,"$groups":{"company":"acme"},"$set":{"email":"ana@example.com","plan":"pro"},"$geoip_disable":true,"$lib":"posthaul","$lib_version":"0","analytics_source":"acme"}}`

const CASES = [
  {
    name: 'valid/signup',
    about: 'A signup, and a ping.',
    input: [RECORD, { ...RECORD, kind: 'ping' }].map((one) => JSON.stringify(one)),
    expected: [LINE],
  },
  {
    name: 'invalid/nobody',
    about: 'A record of nobody.',
    input: JSON.stringify({ ...RECORD, who: '' }),
    reason: 'distinct_id_missing',
  },
]

function tried(faulty: Partial<OwnPreset>, unseen = {}) {
  const trial = new PresetTrial(enginePreset({ ...SOUND, ...faulty }, 'acme.mjs'))
  trial.run({ cases: CASES, unseen })
  return trial
}

test('a sound preset keeps all promises, and its rejects are counted', () => {
  const { book, rejects, filtered } = tried({})
  expect(book.breaches).toEqual([])
  expect(book.tried).toMatchObject({ cases: 2, repeats: 2, members: 8, uuids: 1, times: 1, rejects: 1 })
  // Each case runs alone, record by record, and with the others: it is counted once.
  expect([rejects, filtered]).toEqual([{ distinct_id_missing: 1 }, { pings: 1 }])
})

let calls = 0
const hashed = (text: string) => uuidV5(NAMESPACE, text)

test.each<[what: string, promise: string, text: RegExp, faulty: Partial<OwnPreset>]>([
  [
    'names the event otherwise',
    'cases',
    /event: expected "signup", found "joined"/,
    { events: { signup: 'joined' } },
  ],
  [
    'rejects for another reason',
    'cases',
    /expected: no event, and the reason distinct_id_missing/,
    { distinctId: () => undefined, eventName: () => undefined },
  ],
  [
    'counts its calls',
    'repeats',
    /alone it becomes another event than after other records: event 1: properties\.call: expected \d+, found \d+/,
    { perform: (_, draft) => draft.property('call', String(calls++)) },
  ],
  [
    'writes members in an order that the machine decides',
    'repeats',
    /when all cases run once more: the same members in other bytes/,
    {
      perform: (_, draft) => {
        for (const name of process.env.TZ === 'UTC' ? 'ab' : 'ba') draft.text(name, 'x')
      },
    },
  ],
  [
    'makes a uuid by chance',
    'repeats',
    /when all cases run once more: event 1: uuid: expected "[0-9a-f-]{36}", found/,
    { uuid: () => crypto.randomUUID() },
  ],
  [
    'loses what it reads',
    'members',
    /^company is in no event, and nothing says that it is left out$/,
    { perform: (record) => void record.text('company') },
  ],
  [
    'loses one member of an object',
    'members',
    /^person\.plan is in no event/,
    { perform: (record, draft) => draft.set('email', record.entries('person')[0]![1]) },
  ],
  [
    'makes a uuid of an object as it is written',
    'uuids',
    /and [0-9a-f-]{36} when the members are in another order$/,
    { uuid: (record) => hashed(record.json('person') ?? '') },
  ],
  [
    'gives a text that is no UUID',
    'uuids',
    /^uuid failed: it returned a string that is no UUID$/,
    { uuid: () => 'order-17' },
  ],
  [
    'reads a time in the zone of the machine',
    'times',
    /^in the time zone Pacific\/Kiritimati: event 1: timestamp: expected "2023-05-01T10:00/,
    { timestamp: (record) => new Date(record.text('at')!).getTime() * 1000 },
  ],
  [
    'returns milliseconds',
    'times',
    /the timestamp is 1970-01-20T.*it may be in milliseconds/,
    { timestamp: (record) => parseTime(record.text('at')!) / 1000 },
  ],
  [
    'returns no time',
    'times',
    /^timestamp failed: it returned a number, not a whole number of microseconds$/,
    { timestamp: () => Number.NaN },
  ],
  [
    'asks for the time',
    'clock',
    /^distinctId calls Date\.now\(\)$/,
    { distinctId: (record) => (Date.now() > 0 ? record.text('who') : undefined) },
  ],
  [
    'asks for the day',
    'clock',
    /^perform calls new Date\(\)$/,
    { perform: (_, draft) => draft.text('year', String(new Date().getFullYear())) },
  ],
  [
    'asks for the day as text',
    'clock',
    /^perform calls Date\(\)$/,
    { perform: (_, draft) => draft.text('day', Date()) },
  ],
  [
    'asks chance',
    'clock',
    /^eventName calls Math\.random\(\)$/,
    { eventName: () => [Math].map(({ random }) => `signup ${random() < 2}`)[0] },
  ],
  [
    'throws by mistake',
    'failures',
    /^perform failed: Cannot read properties of undefined/,
    { perform: (record) => void record.text('none')!.trim() },
  ],
  [
    'throws a text',
    'failures',
    /^eventName threw no name$/,
    {
      eventName: () => {
        throw 'no name'
      },
    },
  ],
  [
    'gives a reason that is no word',
    'failures',
    /^eventName failed: it is odd$/,
    {
      eventName: () => {
        throw new Rejection('Too odd', 'it is odd')
      },
    },
  ],
  [
    'rejects without a word',
    'rejects',
    /^too_odd is explained by no words: ""$/,
    {
      eventName: () => {
        throw new Rejection('too_odd', '')
      },
    },
  ],
])('a preset that %s breaks "%s"', (_, promise, text, faulty) => {
  const { breaches } = tried(faulty).book
  expect(breaches.filter((one) => one.promise === promise).map((one) => one.text)).toEqual(
    expect.arrayContaining([expect.stringMatching(text)]),
  )
})

test('what is broken is told with its case and its record, once', () => {
  const { breaches } = tried({ perform: (record: RecordView) => void record.text('none')!.trim() }).book
  expect(breaches.filter(({ promise }) => promise === 'failures')).toMatchObject([
    { case: 'valid/signup', record: 1, member: null },
  ])
})

test('a member that only decides may be named as unseen', () => {
  const decides: Partial<OwnPreset> = {
    perform: (record, draft) => {
      SOUND.perform!(record, draft, {
        sourceTimezone: undefined,
        groupType: '',
        baseUrl: undefined,
        groupTypes: {},
        switches: new Set(),
      })
      if (record.text('seen') === 'never') throw new Filtered('unseen')
    },
    fields: { ...SOUND.fields, 'data.seats': '@seen' },
  }
  const found = (unseen: object) =>
    tried(decides, unseen).book.breaches.map(({ promise, member }) => [promise, member])
  expect(found({})).toContainEqual(['members', 'data.seats'])
  expect(found({ 'data.seats': 'never leaves the record out' })).not.toContainEqual(['members', 'data.seats'])
})

test('the clock, chance and the time zone are as before', () => {
  const before = [Date, Math.random, process.env.TZ, new Date(2024, 0).getTimezoneOffset()]
  tried({})
  expect([Date, Math.random, process.env.TZ, new Date(2024, 0).getTimezoneOffset()]).toEqual(before)
})
