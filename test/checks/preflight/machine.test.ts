import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkDisk } from '../../../src/checks/preflight/disk-room.ts'
import { clockFindings } from '../../../src/checks/preflight/ingest.ts'
import { checkCaps, checkNode } from '../../../src/checks/preflight/preflight.ts'
import type { CapsAsked } from '../../../src/checks/preflight/subject.ts'
import { testFolder } from '../../helpers/folder.ts'
import { levelsOf, subject, testTools, wordsOf } from './tools.ts'

test.each([
  ['20.18.0', 'error'],
  ['18.20.8', 'error'],
  ['20.18.1', 'ok'],
  ['22.0.0', 'ok'],
  ['24.3.0', 'ok'],
  ['120.0.0', 'ok'],
])('Node %s: %s', (node, level) => {
  expect(levelsOf(checkNode({ node }))).toEqual([`${level} node`])
})

describe('the clock', () => {
  const THERE = Date.UTC(2026, 2, 1, 12)
  const date = new Date(THERE).toUTCString()
  const MINUTE = 60_000

  test.each([
    ['agrees', 0, 0, 'ok'],
    ['is off by less than a minute', 55_000, 0, 'ok'],
    ['is a minute and a half ahead', 1.5 * MINUTE, 0, 'warning'],
    ['is behind', -5 * MINUTE, 0, 'warning'],
    ['is an hour ahead', 60 * MINUTE, 0, 'error'],
    ['is a day behind', -1440 * MINUTE, 0, 'error'],
    ['is not to blame for a slow answer', MINUTE, 2 * MINUTE, 'ok'],
  ])('%s', (_, ahead, tookMs, level) => {
    const sentAt = THERE + ahead - tookMs / 2
    const found = clockFindings('https://eu.example', { date, sentAt, receivedAt: sentAt + tookMs })
    expect(levelsOf(found)).toEqual([`${level} clock`])
  })

  test('says which way, since one costs money and the other events', () => {
    const say = (ahead: number) =>
      wordsOf(clockFindings('x', { date, sentAt: THERE + ahead, receivedAt: THERE + ahead }), 'clock')
    expect(say(60 * MINUTE)).toContain('1 h ahead of')
    expect(say(60 * MINUTE)).toContain('count as older')
    expect(say(-3 * 1440 * MINUTE)).toContain('3 days behind')
  })

  test.each([undefined, 'yesterday'])('an answer with the Date %s is a note', (wrong) => {
    const found = clockFindings('https://eu.example', { date: wrong, sentAt: THERE, receivedAt: THERE })
    expect(levelsOf(found)).toEqual(['note clock'])
  })
})

describe('the disk', () => {
  const GB = 1e9
  const input = { bytes: 10 * GB, guessed: false }
  const folder = tmpdir()
  const rooms = [
    { folder: join(folder, 'events'), holds: 'work' },
    { folder: join(folder, 'events'), holds: 'events' },
  ] as const
  const levels = async (free: number, given = {}) => {
    const tools = testTools({ disk: async () => ({ id: 1, free }) })
    return levelsOf(await checkDisk(subject({ rooms, ...given }), input, tools))
  }

  test('rooms on one disk are added up: work and events of 10 GB need 40 GB', async () => {
    expect(await levels(41 * GB)).toEqual(['ok disk'])
    expect(await levels(39 * GB)).toEqual(['warning disk'])
    expect(await levels(10 * GB)).toEqual(['error disk'])
  })

  test('of two disks each is looked at by itself', async () => {
    const far = testFolder()
    const disk = async (at: string) => (at.startsWith(far) ? { id: 2, free: GB } : { id: 1, free: 1000 * GB })
    const two = [...rooms, { folder: far, holds: 'raw' }] as const
    const found = await checkDisk(subject({ rooms: two }), input, testTools({ disk }))
    expect(levelsOf(found)).toEqual(['ok disk', 'error disk'])
    expect(wordsOf(found, 'disk')).toContain(far)
  })

  test('packed parts take less', async () => {
    const packed = [rooms[0], { ...rooms[1], gzip: true }]
    expect(await levels(25 * GB, { rooms: packed })).toEqual(['ok disk'])
  })

  test('without an input the room is told, and not judged', async () => {
    const found = await checkDisk(subject({ rooms }), undefined, testTools())
    expect(levelsOf(found)).toEqual(['note disk'])
  })

  test('a folder below a file has no disk to be looked at', async () => {
    const below = [{ folder: join(import.meta.filename, 'events'), holds: 'events' }] as const
    expect(await levels(GB, { rooms: below })).toEqual([])
  })

  test('a disk that does not say its room is a note', async () => {
    const disk = () => Promise.reject(new Error('EPERM: operation not permitted, statfs'))
    const found = await checkDisk(subject({ rooms: [rooms[0]] }), input, testTools({ disk }))
    expect(levelsOf(found)).toEqual(['note disk'])
    expect(wordsOf(found, 'disk')).toContain('EPERM')
  })
})

describe('the caps', () => {
  const OPEN: CapsAsked = { perMinute: 10_000, events: 20_000_000, lanes: 1 }
  const input = { bytes: 1e9, guessed: false, events: 1_000_000 }
  const GRANT = { perMinute: 50_000, events: 90_000_000, reference: 'ticket 12' }

  test.each<[string, CapsAsked, string[]]>([
    ['those of everyone', OPEN, ['ok caps', 'ok time']],
    ['too many a minute', { ...OPEN, perMinute: 10_001 }, ['error caps', 'ok time']],
    ['too many', { ...OPEN, events: 20_000_001 }, ['error caps', 'ok time']],
    ['as approved', { ...OPEN, ...GRANT, granted: GRANT }, ['ok caps', 'ok time']],
    ['over what is approved', { ...OPEN, perMinute: 50_001, granted: GRANT }, ['error caps', 'ok time']],
    ['fewer than lanes need', { ...OPEN, perMinute: 9, lanes: 8 }, ['error caps', 'ok time']],
    ['fewer than the input has', { ...OPEN, events: 999_999 }, ['ok caps', 'ok time', 'error caps']],
  ])('%s', (_, caps, levels) => {
    expect(levelsOf(checkCaps(subject({ caps }), input))).toEqual(levels)
  })

  test('the time is that of the rate: a million at 9,800 a minute', () => {
    expect(wordsOf(checkCaps(subject({ caps: OPEN }), input), 'time')).toContain('1 h 42 min')
  })

  test('a number of events that is guessed stops nothing', () => {
    const guessed = { bytes: 1e12, guessed: true }
    const found = checkCaps(subject({ caps: OPEN }), guessed)
    expect(levelsOf(found)).toEqual(['ok caps', 'ok time', 'warning caps'])
    expect(wordsOf(found, 'time')).toContain('about 1,000,000,000 events (guessed)')
  })

  test('an approval is named', () => {
    const found = checkCaps(subject({ caps: { ...OPEN, ...GRANT, granted: GRANT } }), input)
    expect(wordsOf(found, 'caps')).toContain('ticket 12')
  })
})
