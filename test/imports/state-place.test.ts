import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import {
  addressIn,
  otherPlaces,
  type StateOptions,
  stateHome,
  statePlace,
} from '../../src/imports/state-place.ts'
import type { Cell } from '../../src/state/cell.ts'
import { acquireLease } from '../../src/state/lease.ts'
import { fileError } from '../../src/store/file-error.ts'

const env = { XDG_STATE_HOME: '/xdg' }
const pathOf = (options: StateOptions) => {
  const place = statePlace(options, env)
  return addressIn(place, place.checkpoint)
}

test.each([
  ['events/', 'events.checkpoint.json'],
  ['a/events.ndjson', 'a/events.ndjson.checkpoint.json'],
  ['.', 'dataset.checkpoint.json'],
  ['../x', '../x.checkpoint.json'],
  ['s3://bkt/history/events', 's3://bkt/history/.state/events.checkpoint.json'],
  ['s3://bkt/events/', 's3://bkt/.state/events.checkpoint.json'],
  ['s3://bkt', 's3://bkt/.state/bkt.checkpoint.json'],
])('the state of %s is beside it', (input, checkpoint) => {
  expect(pathOf({ input })).toBe(checkpoint)
})

test('globs in one folder have names of their own', () => {
  const paths = ['days/*.gz', 'days/?.gz', 'days/**/*.gz', '*.gz'].map((input) => pathOf({ input }))
  expect(new Set(paths).size).toBe(4)
  expect(paths[0]).toMatch(/^days\._\.gz-[0-9a-f]{8}\.checkpoint\.json$/)
  expect(paths[3]).toMatch(/^files\._\.gz-[0-9a-f]{8}\.checkpoint\.json$/)
  expect(pathOf({ input: './days/*.gz' })).toBe(paths[0])
})

test('in one --state the inputs are told apart by their full address', () => {
  const state = 's3://bkt/state'
  const inputs = ['/a/events', '/b/events', 's3://bkt/events', 's3://ckt/events', 's3://bkt/x/events']
  const paths = inputs.map((input) => pathOf({ input, state }))
  expect(new Set(paths).size).toBe(inputs.length)
  for (const path of paths) expect(path).toMatch(/^s3:\/\/bkt\/state\/events-[0-9a-f]{8}\.checkpoint\.json$/)
  expect(pathOf({ input: '/a/events/', state })).toBe(paths[0])
  expect(pathOf({ input: 's3://bkt/events/', state })).toBe(paths[2])
  expect(pathOf({ input: 's3://bkt/events?endpoint=https://minio.example.com', state })).not.toBe(paths[2])
  // What is moved together is found.
  for (const store of ['/a', '/b', 's3://bkt/a', 's3://ckt'])
    expect(pathOf({ input: `${store}/x/events`, state: `${store}/state` })).toContain(paths[4]!.slice(12))
})

test.each([
  ['events', undefined, []],
  ['events', 'state', ['events.checkpoint.json']],
  ['s3://bkt/a/events', undefined, []],
  ['s3://bkt/events', 's3://bkt/state', ['s3://bkt/.state/events.checkpoint.json']],
])('state of %s (--state %s) can also be elsewhere', (input, state, expected) => {
  const places = otherPlaces({ input, state }, env)
  expect(places.map((place) => addressIn(place, place.checkpoint))).toEqual(expected)
  expect(otherPlaces({ input, checkpoint: 'x.json' }, env)).toEqual([])
})

test('the other files have the name of the checkpoint, and the ledger is where --state says', () => {
  expect(statePlace({ input: 'events' }, env)).toEqual({
    location: '.',
    stem: 'events',
    checkpoint: 'events.checkpoint.json',
    rejects: 'events.rejects.ndjson',
    own: 'events.own.ndjson',
    sent: 'events.sent.ndjson',
    undo: 'events.undo.json',
    lease: 'events.checkpoint.json.lock',
    ledger: '/xdg/posthaul',
  })
  expect(statePlace({ input: 'events' }, { HOME: '/me' }).ledger).toBe('/me/.local/state/posthaul')
  const state = 's3://bkt/state?endpoint=https://minio.example.com'
  expect(statePlace({ input: 'events', state }, env)).toMatchObject({ location: state, ledger: state })
  expect(statePlace({ input: '.hidden' }, env).lease).toBe('_.hidden.checkpoint.json.lock')
})

test('a relative XDG_STATE_HOME counts as none: each folder would have a ledger of its own', () => {
  expect(stateHome({ XDG_STATE_HOME: 'state', HOME: '/home/u' })).toBe('/home/u/.local/state/posthaul')
  expect(stateHome({ XDG_STATE_HOME: '/xdg', HOME: '/home/u' })).toBe('/xdg/posthaul')
})

test.each(['EACCES', 'EROFS', 'EPERM'])(
  'a folder that can not be written to (%s) is answered by what names another',
  async (code) => {
    const cause = Object.assign(new Error(code), { code, syscall: 'open' })
    const taken = (error: unknown) => {
      const fails = () => Promise.reject(error)
      const cell = { address: 'ro/x.lock', load: fails, save: fails, remove: fails } as unknown as Cell
      return acquireLease({ cell, keeps: { what: 'the state', setting: 'with --state' } })
    }
    await expect(taken(fileError(cause, 'write', 'ro/x.lock'))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringContaining('the state has no place: cannot write ro/x.lock'),
      hint: expect.stringContaining('name a folder that can be written to with --state, or '),
    })
    const other = new PosthaulError('the disk is full', { code: 'unavailable' })
    await expect(taken(other)).rejects.toBe(other)
  },
)
