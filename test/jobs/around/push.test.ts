import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AroundFolder, type AroundKind, type AroundRow } from '../../../src/around/index.ts'
import { PushTally, pushKind } from '../../../src/jobs/around/push.ts'
import type { PushTools } from '../../../src/jobs/around/push-tools.ts'
import { PushedThings } from '../../../src/jobs/around/pushed.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { testFolder } from '../../helpers/folder.ts'

test('what is about to be made is noted on the disk first, and its id afterwards', async () => {
  const folder = new AroundFolder(testFolder())
  const noted = () =>
    (
      JSON.parse(readFileSync(join(folder.path, '.pushed.json'), 'utf8')) as {
        readonly projects: Readonly<Record<string, readonly Record<string, unknown>[]>>
      }
    ).projects.here!.map(({ id, made, pending, sent }) => ({ id, made, pending, sent }))
  const sent = { text: 'Release', at: '2024-03-02T09:00:00.000Z' }
  const before: unknown[] = []
  const project = {
    list: async () => [],
    make: async (_: AroundKind, row: AroundRow) => {
      before.push(...noted())
      return { id: '7', row, isBare: true }
    },
  } as unknown as PushTools['project']
  const clock = new FakeClock(0)
  const signal = new AbortController().signal
  const retry = { retryForMs: 0, clock, signal, random: () => 0, onRetry: () => undefined }
  const pushed = await PushedThings.load(folder.path, 'here')
  const memberId = (id: string) => id
  const tools = { folder, project, pushed, retry, memberId, overwrite: false }
  await pushKind('annotations', [sent], tools, new PushTally())
  expect(before).toEqual([{ id: null, made: true, pending: true, sent }])
  expect(noted()).toEqual([{ id: '7', made: true, pending: false, sent }])
})
