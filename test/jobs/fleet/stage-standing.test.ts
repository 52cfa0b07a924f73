import { expect, test } from 'vitest'
import { type OpenTask, type StageSeen, standingOf } from '../../../src/jobs/fleet/stage-standing.ts'
import type { TryRecord } from '../../../src/transform/fleet/tries.ts'

const NOW = Date.UTC(2024, 2, 1, 12)
const at = (secondsAgo: number) => new Date(NOW - secondsAgo * 1000).toISOString()

/** A try that began and was last heard of so many seconds ago. */
function tried(index: number, began: number, heard: number, more: Partial<TryRecord> = {}): TryRecord {
  return {
    plan: 'p',
    stage: 'map',
    index,
    of: 1000,
    state: 'running',
    host: `host-${index}`,
    pid: 1,
    started_at: at(began),
    at: at(heard),
    bytes: 0,
    seconds: began - heard,
    peak_memory: 1,
    error: null,
    ...more,
  }
}

const failure = (exit: number) =>
  ({ state: 'failed', error: { code: 'x', exit, fate: 'stop', message: 'm', hint: null } }) as const
const open = (index: number, more: Partial<OpenTask>): OpenTask => {
  return { index, tries: 1, running: [], failed: undefined, ...more }
}
const standing = (more: Partial<StageSeen>) =>
  standingOf({ tasks: 10, took: [], done: 0, open: [], ...more }, NOW)

test('each task is counted once: done, running, failed, lost or waiting', () => {
  const seen = standing({
    done: 3,
    open: [
      open(3, { running: [tried(3, 600, 10)] }),
      // Silent for over 3 minutes.
      open(4, { running: [tried(4, 600, 181)] }),
      open(5, { failed: tried(5, 60, 30, failure(6)) }),
      open(6, { failed: tried(6, 60, 30, failure(5)) }),
      // A machine that was taken back: its scheduler starts the task again.
      open(7, { failed: tried(7, 60, 30, failure(143)) }),
      // It failed, and another try is at it.
      open(8, { failed: tried(8, 600, 500, failure(2)), running: [tried(8, 400, 5)] }),
    ],
  })
  expect(seen).toMatchObject({
    done: 3,
    running: 2,
    failed: 3,
    failed_for_good: 1,
    lost: 1,
    waiting: 1,
  })
  expect(seen.errors[0]).toMatchObject({ index: 5, for_good: true })
  expect(seen.slowest_running).toMatchObject({ index: 3, host: 'host-3', seconds: 600 })
  expect(seen.lost_tasks).toMatchObject([{ index: 4 }])
})

test('of doubled tries the one that speaks counts, and a try that died before another failed is no loss', () => {
  const doubled = open(1, { running: [tried(1, 900, 400), tried(1, 100, 10)] })
  const after = open(2, { running: [tried(2, 900, 800)], failed: tried(2, 300, 200, failure(5)) })
  const before = open(3, { running: [tried(3, 300, 200)], failed: tried(3, 900, 800, failure(5)) })
  const seen = standing({ open: [doubled, after, before] })
  expect(seen).toMatchObject({ running: 1, failed: 1, lost: 1 })
  expect(seen.lost_tasks).toMatchObject([{ index: 3 }])
})

test.each<[string, Partial<StageSeen>, number | null]>([
  ['nothing is known', {}, null],
  ['all are done', { done: 10, took: [{ index: 0, seconds: 5 }] }, 0],
  ['tasks are done but none runs', { done: 5, took: [{ index: 0, seconds: 5 }] }, null],
  // 8 tasks of 100 s are left, 40 s of which are behind: 760 s of work for two.
  [
    'two run',
    {
      done: 2,
      took: [0, 1].map((index) => ({ index, seconds: 100 })),
      open: [open(2, { running: [tried(2, 20, 1)] }), open(3, { running: [tried(3, 20, 1)] })],
    },
    380,
  ],
  // A quarter of the bytes took 50 s, so a task takes 200 s: 10 of them, 50 s of which are behind.
  ['none is done yet', { open: [open(0, { running: [tried(0, 50, 1, { bytes: 250 })] })] }, 1_950],
  // The last task runs for longer than the others took, and its bytes say that it is not near its end.
  [
    'one is slow',
    {
      done: 9,
      took: [{ index: 0, seconds: 10 }],
      open: [open(9, { running: [tried(9, 100, 1, { bytes: 100 })] })],
    },
    900,
  ],
])('the time left where %s', (_, seen, seconds) => {
  expect(standing(seen).seconds_left).toBe(seconds)
})
