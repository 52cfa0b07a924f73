import { expect, test } from 'vitest'
import type { Mapper } from '../../src/mapping/mapper.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { engineOf } from '../transform/plain.ts'

function traceOf(mapper: Mapper, record: object) {
  const line = Buffer.from(JSON.stringify({ event: 'E', user: 'u', ...record }))
  return mapper.trace(mapper.map(line, 0, line.length))
}

function placesOf(preset: Partial<Preset>, record: object): Record<string, readonly string[]> {
  const { members } = traceOf(engineOf(preset), record)
  return Object.fromEntries(members.map(({ path, to }) => [path, to]))
}

const fields = { event: '@event', user: '@user', time: '@time', '*': '*' } as const

test('what a function makes of a value is told, not what it makes of others', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, width: '@width', height: '@height' },
    perform(record, draft) {
      const [width, height] = [record.text('width'), record.text('height')]
      draft.property('wide', String(Number(width) > 100))
      draft.text('size', `${width}x${height}`)
    },
  }
  expect(placesOf(preset, { width: 640, height: 480 })).toMatchObject({
    width: ['properties.wide', 'properties.size'],
    height: ['properties.size'],
  })
})

test('a value that another would stand in for is told with what was made of it', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, first: '@name', second: '@name' },
    perform: (record, draft) => draft.text('made', record.text('name') ?? 'none'),
  }
  expect(placesOf(preset, { first: 'a', second: 'a' })).toMatchObject({
    first: ['properties.made'],
    second: [],
  })
})

test('of an object that a function takes whole each member is told', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, traits: '@traits', 'traits.*': [] },
    perform(record, draft) {
      for (const [name, json] of record.entries('traits')) draft.set(name, json)
    },
  }
  expect(placesOf(preset, { traits: { plan: 'pro', seats: 3 } })).toMatchObject({
    'traits.plan': ['properties.$set.plan'],
    'traits.seats': ['properties.$set.seats'],
  })
})

test('of a record in another shape the members are told that the rules see', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, scroll: '@scroll' },
    reshape: (json) => JSON.stringify({ ...JSON.parse(json), scroll: 50 }),
    perform: (record, draft) => draft.property('share', String(Number(record.text('scroll')) / 100)),
  }
  expect(placesOf(preset, {})).toMatchObject({ scroll: ['properties.share'] })
})

test('a function that gives the record up without a value leaves open what it made of it', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, url: '@url' },
    perform(record, draft) {
      const url = record.text('url')
      if (url === undefined) throw new RangeError('no address')
      draft.text('where', url)
    },
  }
  expect(placesOf(preset, { url: '/' })).toMatchObject({ url: ['properties'] })
})

test('a trace leaves nothing that is counted of the next record', () => {
  const preset: Partial<Preset> = {
    fields: { ...fields, n: '@n' },
    perform: (record, draft) => draft.property('n2', record.json('n') ?? '0'),
  }
  const [traced, fresh] = [engineOf(preset), engineOf(preset)]
  traceOf(traced, { n: 12345678901234567890n.toString(), x: 1 })
  for (const mapper of [traced, fresh]) {
    const line = Buffer.from('{"event":"E","user":"u","n":1}')
    mapper.map(line, 0, line.length)
  }
  expect(traced.takeNotes()).toEqual(fresh.takeNotes())
  expect(traced.takeInventory()).toEqual(fresh.takeInventory())
})

test('a line that is no record has no members', () => {
  const mapper = engineOf()
  traceOf(mapper, { a: 1 })
  const line = Buffer.from('{"a":')
  expect(mapper.trace(mapper.map(line, 0, line.length)).members).toEqual([])
})

test('a reject has members without fates', () => {
  const { members } = traceOf(engineOf(), { user: null, plan: 'pro' })
  expect(members.find(({ path }) => path === 'plan')).toMatchObject({ value: '"pro"', fates: [], to: [] })
})
