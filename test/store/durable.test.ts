import { mkdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { beforeEach, expect, test, vi } from 'vitest'
import { MissingFile } from '../../src/checks/missing-file.ts'
import type { CheckpointState } from '../../src/delivery/checkpoint.ts'
import {
  type CheckpointSnapshot,
  CheckpointWriter,
  ImportState,
  REJECTS_LOG,
} from '../../src/delivery/import-state.ts'
import { keptPages } from '../../src/sources/kept-pages.ts'
import { FileLog } from '../../src/state/log-file.ts'
import { LocalStore } from '../../src/store/local.ts'
import { replaceFile } from '../../src/store/own-file.ts'
import { saveCheckpoint } from '../helpers/checkpoint.ts'
import { diskLog } from '../helpers/disk-log.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

// A power cut can't be had in a test; what would be lost by one is what was not synced in time.
vi.mock('node:fs/promises', async (original) => {
  const { loggedDisk } = await import('../helpers/disk-log.ts')
  return loggedDisk(await original())
})

let folder: string
beforeEach(() => {
  folder = testFolder()
  diskLog.length = 0
})

const state = { places: [] } as unknown as CheckpointState

test('a checkpoint is on disk before it takes its name, and its names are before the save is done', async () => {
  await saveCheckpoint(join(folder, 'x.json'), state)
  await saveCheckpoint(join(folder, 'x.json'), state)
  const here = basename(folder)
  const save = ['write x.json.tmp', 'sync x.json.tmp']
  const named = ['rename x.json.tmp -> x.json', `sync ${here}`]
  expect(diskLog).toEqual([...save, ...named, ...save, 'rename x.json -> x.json.previous', ...named])
})

test('rejects are on disk before the checkpoint that counts them is even written', async () => {
  const rejects = await new FileLog(join(folder, 'x.rejects'), REJECTS_LOG).begin()
  const writer = new CheckpointWriter({
    state: ImportState.local({
      checkpoint: join(folder, 'x.json'),
      rejects: join(folder, 'x.rejects'),
      own: join(folder, 'x.own'),
    }),
    rejects,
    clock: new SleepyClock(),
    look: async () => {},
    snapshot: () => state as CheckpointSnapshot,
    failed: (error) => expect(error).toBeUndefined(),
  })
  for (const line of ['one\n', 'two\n']) {
    diskLog.length = 0
    await writer.record([line])
    await writer.flush()
    const order = ['write x.rejects', 'sync x.rejects', 'write x.json.tmp'].map((step) =>
      diskLog.indexOf(step),
    )
    expect(order.every((at) => at >= 0)).toBe(true)
    expect(order).toEqual([...order].sort((a, b) => a - b))
    // The folder last: the first save makes the rejects' own name durable as well.
    expect(diskLog.at(-1)).toBe(`sync ${basename(folder)}`)
  }
  await rejects.close()
})

test('a file is on disk before it takes its name, and its name is before the write is done', async () => {
  await replaceFile(join(folder, 'a'), (file) => file.writeFile('text'))
  expect(diskLog).toEqual([
    'write a (draft)',
    'sync a (draft)',
    'rename a (draft) -> a',
    `sync ${basename(folder)}`,
  ])
})

test.each([
  ['', undefined, ['rename p (draft) -> p']],
  [' that nobody may have made', 'absent', ['link p (draft) -> p', 'remove p (draft)']],
] as const)('so is a part of a store%s', async (_, condition, published) => {
  await mkdir(join(folder, 'deep'))
  await new LocalStore(folder).put('deep/p', Buffer.from('text'), condition)
  expect(diskLog).toEqual(['write p (draft)', 'sync p (draft)', ...published, 'sync deep'])
})

test('so is a file of a store that replaces the version it was made from', async () => {
  const store = new LocalStore(folder)
  const { version } = await store.put('p', Buffer.from('one'))
  diskLog.length = 0
  await store.put('p', Buffer.from('two'), { version })
  const ofPart = diskLog.filter((step) => / p( |$)/.test(step) || step === `sync ${basename(folder)}`)
  expect(ofPart.slice(-4)).toEqual([
    'write p (draft)',
    'sync p (draft)',
    'rename p (draft) -> p',
    `sync ${basename(folder)}`,
  ])
})

test('so is the file of events that are missing in the service', async () => {
  const missing = new MissingFile(join(folder, 'm'))
  missing.missing(Buffer.from(eventLine(makeEvent(0))))
  await missing.finish()
  await missing.close()
  expect(diskLog).toEqual([
    'write m (draft)',
    'sync m (draft)',
    'link m (draft) -> m',
    `sync ${basename(folder)}`,
    'remove m (draft)',
  ])
})

test('pages of an export are on disk before the file that counts them', async () => {
  async function* pages() {
    yield { lines: ['{}\n'], fingerprint: 'one', next: null }
  }
  for await (const _ of keptPages(join(folder, 'p'), pages, () => {})) {
    // Reading them is what keeps them.
  }
  expect(diskLog.slice(0, 4)).toEqual([
    `sync ${basename(folder)}`,
    'write p',
    'sync p',
    'write p.json (draft)',
  ])
})
