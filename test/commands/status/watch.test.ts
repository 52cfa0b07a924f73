import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import type { StatusResult } from '../../../src/commands/status/result.ts'
import { statusOf } from '../../../src/commands/status/status-of.ts'
import { watch } from '../../../src/commands/status/watch.ts'
import type { CheckpointState } from '../../../src/delivery/checkpoint.ts'
import { noRemarks } from '../../../src/delivery/route.ts'
import { PosthaulError } from '../../../src/errors.ts'
import { emptyNotes } from '../../../src/record/notes.ts'
import { screen } from '../../helpers/screen.ts'

const around = {
  ...{ runs: undefined, migration: undefined, drawing: [], pace: undefined, perMinute: undefined },
  now: 0,
  parts: undefined,
  undo: undefined,
}

function seen(delivered: number): StatusResult[] {
  const state = {
    input: { kind: 'dataset', name: 'events/', size: 100, events: 100 },
    target: { host: 'https://eu.i.posthog.com', key: 'x' },
    counts: { delivered, rejected: 0, filtered: 0 },
    caps: { events_per_minute: 10_000, events: 20_000_000, approved: false },
    done: delivered === 100,
    notes: emptyNotes(),
    places: [],
    command: [],
    via: 'batch',
    remarks: noRemarks(),
  } as unknown as CheckpointState
  return [statusOf('c', state, around)]
}

/** A watch whose looks see these counts, or fail; its clock jumps by each sleep. */
function watching(
  counts: readonly (number | Error)[],
  options: { tty?: boolean; json?: boolean; remote?: boolean },
) {
  let text = ''
  const stdout = Object.assign(
    new Writable({
      write(chunk, _, done) {
        text += String(chunk)
        done()
      },
    }),
    { isTTY: options.tty === true },
  )
  const stop = new AbortController()
  const { telemetry, text: told } = screen(false)
  const at = { ms: 0, looks: [] as number[] }
  const clock = {
    now: () => at.ms,
    wall: () => Date.UTC(2024, 2, 1) + at.ms,
    sleep: async (ms: number) => {
      at.ms += ms
    },
  }
  const look = async () => {
    const count = counts[at.looks.push(at.ms) - 1] ?? 50
    if (count instanceof Error) throw count
    if (at.looks.length > counts.length) stop.abort('SIGINT')
    return seen(count)
  }
  const unread = new AbortController().signal
  const io = { stdout, telemetry, interrupted: stop.signal, unread, env: { TERM: 'dumb' } }
  const settings = { look, isRemote: options.remote === true, json: options.json === true }
  const ended = watch(settings, io, clock)
  return { ended, at, printed: () => text, told }
}

const times = (text: string) => text.match(/\d\d:\d\d:\d\dZ c: \d+%|\d\d:\d\d:\d\dZ c: done/g)

test('off a terminal: a line at once, one every 30 s, and one at the end, with which it ends', async () => {
  const run = watching([...Array<number>(20).fill(10), 100], {})
  await run.ended
  expect(times(run.printed())).toEqual(['00:00:00Z c: 10%', '00:00:30Z c: 10%', '00:00:40Z c: done'])
  expect(run.printed()).not.toContain('\x1b')
})

test('a bucket is asked every 30 s, on a terminal too', async () => {
  const run = watching([10, 20, 100], { tty: true, remote: true })
  await run.ended
  expect(run.at.looks).toEqual([0, 30_000, 60_000])
})

test('a terminal is drawn again every 2 s', async () => {
  const run = watching([10, 20, 100], { tty: true })
  await run.ended
  expect(
    run
      .printed()
      .split('\x1b[H\x1b[J')
      .map((part) => part.match(/c: .*/)?.[0]),
  ).toEqual([undefined, 'c: 10% done', 'c: 20% done', 'c: done'])
})

test('a failure in passing is told and the watch goes on; one at the first look ends it', async () => {
  const outage = new PosthaulError('the bucket does not answer', { code: 'unavailable' })
  const run = watching([10, outage, 100], { json: true })
  await run.ended
  const objects = run.printed().trim().split('\n')
  expect(objects.map((line) => JSON.parse(line).written)).toEqual([10, 100])
  expect(run.told()).toContain('the bucket does not answer; looking again')
  await expect(watching([outage], {}).ended).rejects.toThrow('the bucket')
})
