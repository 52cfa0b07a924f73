import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Io } from '../../../src/io.ts'
import { keepPush } from '../../../src/jobs/around/last-push.ts'
import { aroundPushResult, ITEM_STATES, type ItemState } from '../../../src/jobs/around/result.ts'
import { gatherReport } from '../../../src/jobs/report/gather-report.ts'
import { partsByDay, writeDataset } from '../../helpers/dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'

test('the properties that a page has no room for are said', async () => {
  const folder = join(testFolder(), 'events')
  const properties = Object.fromEntries(Array.from({ length: 62 }, (_, n) => [`property ${n}`, n]))
  await writeDataset(folder, partsByDay([{ ...makeEvent(1), properties }]))
  const io = { env: {}, argv: ['report', folder] } as unknown as Io
  const where = { checkpoint: undefined, state: undefined, endpoint: undefined }
  const { fill, reduced } = await gatherReport({ names: [folder], where, stateWords: [] }, io)
  expect(fill![0]!.after).toHaveLength(60)
  expect(reduced).toContain('2 rarer members and properties are in manifest.json')
})

test('what lies around the events is shown as the last push of each kind left it', async () => {
  const [folder, around] = [join(testFolder(), 'events'), testFolder()]
  await writeDataset(folder, partsByDay([makeEvent(1)]))
  const io = { env: {}, argv: ['report', folder] } as unknown as Io
  const where = { checkpoint: undefined, state: undefined, endpoint: undefined }
  const gather = () => gatherReport({ names: [folder], where, stateWords: [], around }, io)
  const pushed = {
    of: (kind: string) => Array.from({ length: kind === 'events' ? 6 : 0 }, () => ({}) as never),
  }
  const before = await gather()
  expect([before.around, before.missing.join()]).toEqual([undefined, expect.stringContaining(around)])

  await keepPush(pushOf(around, 'events', ['lacking', 'differs', 'kept', 'skipped'], 5), pushed)
  await keepPush(pushOf(around, 'reports', ['by_hand', 'by_hand', 'refused'], 0), pushed)
  const counts = { brought: 0, made: 0, changed: 0, alike: 0, kept: 0, left: 0, byHand: 0 }
  const shown = await gather()
  expect(shown.around).toMatchObject({ folder: around, host: 'https://eu.posthog.com', project: '2' })
  expect(shown.around!.kinds).toEqual([
    { ...counts, kind: 'events', rows: 9, brought: 6, made: 1, changed: 1, alike: 5, kept: 1, left: 1 },
    { ...counts, kind: 'reports', rows: 3, left: 1, byHand: 2 },
  ])

  const undone = {
    ...pushOf(around, 'events', [], 0),
    kinds: [],
    undone: { removed: 1, restored: 1, kept: 0 },
  }
  await keepPush(undone, pushed)
  expect((await gather()).around).toBeUndefined()
})

/** A push of one kind, of which `refused` was found lacking, and refused when it was written. */
function pushOf(folder: string, kind: 'events' | 'reports', states: readonly ItemState[], alike: number) {
  const found = states.map((state) => (state === 'refused' ? 'lacking' : state))
  const counts = ITEM_STATES.map((state) => [state, found.filter((one) => one === state).length])
  const row = { kind, rows: states.length + alike, ...Object.fromEntries(counts), alike }
  return aroundPushResult.parse({
    ...{
      version: 1,
      command: 'around push',
      folder,
      kinds: [row],
      made: 0,
      changed: 0,
      notes: [],
      undone: null,
    },
    project: { host: 'https://eu.posthog.com', id: '2' },
    items: states.map((state) => ({ kind, name: state, state, fields: [], why: null })),
    members: { sent: 0, unmatched: 0 },
  })
}
