import { describe, expect, test } from 'vitest'
import { transform } from '../../src/library/transform.ts'
import { definePreset } from '../../src/mapping/own-preset.ts'

const acme = definePreset({
  vendor: 'acme',
  fields: { name: '@name', user: '@user', visitor: '@visitor', 'props.*': '*' },
  eventName: (record) => record.text('name'),
  distinctId: (record) => record.text('user'),
  anonymousId: (record) => record.text('visitor'),
  timestamp: () => Date.UTC(2024, 0, 1) * 1000,
})

const record = (name: string, more = '') => `{"name":"${name}","user":"u1"${more}}`

async function eventsOf(...given: Parameters<typeof transform>) {
  const made = transform(...given)
  const events = []
  for await (const event of made) events.push(event)
  return { made, events }
}

test('records are read once: a second loop would make their events again', async () => {
  const { made } = await eventsOf([record('a')], { preset: acme })
  const again = async () => {
    for await (const _ of made);
  }
  await expect(again()).rejects.toMatchObject({ code: 'usage', message: 'these records were read already' })
})

test('an option that there is not, and one text for all records, are refused', () => {
  const wrong: object = { mapp: {} }
  expect(() => transform([], { preset: 'events', ...wrong })).toThrow('mapp is no option')
  expect(() => transform('{}', { preset: 'events' })).toThrow('give a list of them')
})

test('text and bytes come out as they went in, objects exactly too', async () => {
  const text = record('a', ',"props":{"n":1.0,"big":12345678901234567890}')
  const { events, made } = await eventsOf(
    [text, Buffer.from(text), { name: 'a', user: 'u1', props: { n: -0, big: 12345678901234567890n } }],
    { preset: acme },
  )
  expect(events.map(({ line }) => /"n":[^}]*?20|"n":.*?(?=,"\$)/.exec(line)?.[0])).toEqual([
    '"n":1.0,"big":12345678901234567890',
    '"n":1.0,"big":12345678901234567890',
    '"n":-0,"big":12345678901234567890',
  ])
  expect(events[0]).toMatchObject({
    event: 'a',
    distinctId: 'u1',
    timestamp: '2024-01-01T00:00:00.000000Z',
    generated: false,
    properties: { n: 1 },
  })
  expect(made).toMatchObject({ counts: { read: 3, written: 3 }, conserved: true })
})

test('twins without an id are two events, in every run the same two', async () => {
  const ids = async () =>
    (await eventsOf([record('a'), record('a')], { preset: acme })).events.map((e) => e.uuid)
  const first = await ids()
  expect(new Set(first).size).toBe(2)
  expect(await ids()).toEqual(first)
})

test('what all records show comes at the end', async () => {
  const { events, made } = await eventsOf([record('a', ',"visitor":"v1"'), record('b', ',"visitor":"v1"')], {
    preset: acme,
  })
  expect(events.map(({ event, generated }) => [event, generated])).toEqual([
    ['a', false],
    ['b', false],
    ['$identify', true],
  ])
  expect(made.counts).toMatchObject({ read: 2, written: 2, generated: 1 })
})

test('rejects and what is left out are counted, and told', async () => {
  const rejects: unknown[] = []
  const { made } = await eventsOf([record('a'), '{"name":', record('')], {
    preset: acme,
    onReject: (reject) => rejects.push([reject.line, reject.reason]),
  })
  expect(rejects).toEqual([
    [2, expect.stringMatching(/json/)],
    [3, 'event_missing'],
  ])
  expect(made).toMatchObject({ counts: { read: 3, written: 1, rejected: 2 }, conserved: true })
})

describe('rejects with a typed error', () => {
  test.each<[string, Parameters<typeof transform>[1], object]>([
    ['no preset', {}, { code: 'usage' }],
    ['an unknown preset', { preset: 'mixpannel' }, { code: 'usage', hint: 'did you mean "mixpanel"?' }],
    // @ts-expect-error: a program that is compiled is told earlier.
    ['an unknown key of a mapping', { preset: 'mixpanel', map: { evnts: {} } }, { code: 'config' }],
    ['a switch that the preset does not have', { preset: acme, with: ['x'] }, { code: 'usage' }],
  ])('%s', async (_, options, error) => {
    await expect(eventsOf([], options)).rejects.toMatchObject(error)
  })

  test('an object that JSON can’t hold, by its number', async () => {
    await expect(eventsOf([{ name: 'a', at: Number.NaN }], { preset: acme })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(/^record 1\.at is NaN/),
    })
  })

  test('an abort, though the source hangs', async () => {
    const stop = new AbortController()
    const hanging = (async function* () {
      yield record('a')
      await new Promise(() => undefined)
    })()
    const made = transform(hanging, { preset: acme, signal: stop.signal })
    const reading = (async () => {
      for await (const _ of made) stop.abort()
    })()
    await expect(reading).rejects.toMatchObject({ code: 'interrupted' })
    expect(made.counts).toMatchObject({ read: 1, written: 1 })
  })
})
