import { readFileSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NO_OWN_EVENTS } from '../../src/delivery/checkpoint-shape.ts'
import { type CheckpointSnapshot, CheckpointWriter } from '../../src/delivery/checkpoint-writer.ts'
import { ImportState, REJECTS_LOG } from '../../src/delivery/import-state.ts'
import { START } from '../../src/delivery/place.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { FileLog } from '../../src/state/line-log.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { testFolder } from '../helpers/folder.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

const snapshot = (): CheckpointSnapshot => ({
  version: 1,
  tool: 'posthaul',
  started_at: '',
  input: { kind: 'dataset', name: 'x', size: 0, events: 0, manifest_sha256: '' },
  target: { host: '', key: '' },
  caps: { events_per_minute: 1, events: 1, approved: false },
  command: [],
  group_event_name: '$groupidentify',
  via: 'batch',
  remarks: { warnings: {}, unmerged: {}, unknown: 0 },
  rules: null,
  places: [START],
  most_lanes: 1,
  counts: { delivered: 0, rejected: 0, filtered: 0 },
  delivered_before_restart: 0,
  filters: {},
  young: 0,
  reasons: {},
  notes: emptyNotes(),
  own: NO_OWN_EVENTS,
  done: false,
})

test('lanes that are acknowledged while a large save is under way wait for it: no reject is written over', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const log = new FileLog(join(testFolder(), 'x.rejects.ndjson'), REJECTS_LOG)
  const rejects = await log.begin()
  const failures: unknown[] = []
  const journal = new CheckpointWriter({
    state: ImportState.local({ checkpoint: path, rejects: log.path, own: `${path}.own` }),
    rejects,
    clock: new SleepyClock(),
    look: async () => {},
    snapshot,
    failed: (error) => failures.push(error),
  })
  // Each is more than the writer holds back, so each saves at once, those during a save too.
  const large = (lane: string) => `${lane.repeat(9 * 1024 * 1024)}\n`
  await Promise.all(['a', 'b', 'c'].map((lane) => journal.record([large(lane)])))
  await Promise.all(['d', 'e'].map((lane) => journal.record([`${lane}\n`])))
  await journal.flush()
  await rejects.close()
  expect(failures).toEqual([])
  const written = readFileSync(log.path, 'latin1').split('\n')
  expect(written.map((line) => line[0] ?? '').join('')).toBe('abcde')
  expect((await loadCheckpoint(path))?.state.rejects).toEqual(rejects.digest)
})

test('a save that fails because the place was taken meanwhile says so', async () => {
  const path = join(testFolder(), 'gone', 'x.checkpoint.json')
  const log = new FileLog(join(testFolder(), 'x.rejects.ndjson'), REJECTS_LOG)
  const rejects = await log.begin()
  const taken = new Error('taken')
  let looks = 0
  const journal = new CheckpointWriter({
    state: ImportState.local({ checkpoint: path, rejects: log.path, own: `${path}.own` }),
    rejects,
    clock: new SleepyClock(),
    look: async () => {
      if (++looks > 1) throw taken
    },
    snapshot,
    failed: () => {},
  })
  await expect(journal.flush()).rejects.toBe(taken)
  await rejects.close()
})

test('after a save that failed nothing is acknowledged any more: its rejects are in no file', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const log = new FileLog(join(testFolder(), 'x.rejects.ndjson'), REJECTS_LOG)
  const rejects = await log.begin()
  const journal = new CheckpointWriter({
    state: ImportState.local({ checkpoint: path, rejects: log.path, own: `${path}.own` }),
    rejects,
    clock: new SleepyClock(),
    look: async () => {},
    snapshot,
    failed: () => undefined,
  })
  await journal.flush()
  const before = readFileSync(path, 'utf8')
  // At first a folder is in the place of the file, so the save fails; later it would succeed.
  await mkdir(log.path)
  await journal.record(['a\n'])
  await expect(journal.flush()).rejects.toThrow('x.rejects.ndjson')
  await rmdir(log.path)
  await expect(journal.flush()).rejects.toThrow('x.rejects.ndjson')
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a run whose place was taken saves nothing more, and says so once', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const log = new FileLog(join(testFolder(), 'x.rejects.ndjson'), REJECTS_LOG)
  const rejects = await log.begin()
  const taken = new Error('another run has it')
  const failures: unknown[] = []
  let looks = 0
  const journal = new CheckpointWriter({
    state: ImportState.local({ checkpoint: path, rejects: log.path, own: `${path}.own` }),
    rejects,
    clock: new SleepyClock(),
    look: async () => {
      // A writer that looks again and again without a pause would never let this test end.
      if (++looks > 5) await new Promise(() => {})
      throw taken
    },
    snapshot,
    failed: (error) => failures.push(error),
  })
  await journal.record(['a\n'])
  await expect(journal.flush()).rejects.toBe(taken)
  await new Promise((resolve) => setImmediate(resolve))
  expect([looks, failures]).toEqual([1, [taken]])
  await rejects.close()
})
