import { expect, test } from 'vitest'
import { lines as linesOf } from '../../../src/commands/status/run.ts'
import { type Seen, statusOf } from '../../../src/commands/status/status-of.ts'
import type { CheckpointState } from '../../../src/delivery/checkpoint.ts'
import { noRemarks } from '../../../src/delivery/route.ts'
import { emptyNotes } from '../../../src/record/notes.ts'

const lines = (path: string, of: CheckpointState, seen: Seen) => linesOf(statusOf(path, of, seen))

const state = {
  input: { kind: 'dataset', name: 'events/', size: 1_400_000, events: 3_069 },
  target: { host: 'https://eu.i.posthog.com', key: 'x' },
  counts: { delivered: 1_740, rejected: 2, filtered: 0 },
  reasons: { bad_json: 2 },
  caps: { events_per_minute: 10_000, events: 20_000_000, approved: false },
  done: false,
  started_at: '2024-03-01T00:00:00.000Z',
  saved_at: '2024-03-01T00:01:00.000Z',
  notes: emptyNotes(),
  places: [],
  command: ['import', '--dataset', 'events/'],
  via: 'batch',
  remarks: noRemarks(),
} as unknown as CheckpointState
const finished = { ...state, counts: { ...state.counts, delivered: 3_067 }, done: true }
const since = '2024-03-01T00:00:00.000Z'
const me = { who: 'process 7 on vm', since, purpose: 'import of events/', seen: true }
const migration = { events: 2_740, delivered: 2_740, since, imports: 2 }
const RUNNING: Seen = {
  now: Date.parse('2024-03-01T00:01:00.000Z'),
  ...{ runs: me, migration, undo: undefined },
}
const IDLE: Seen = { ...RUNNING, runs: undefined, migration: undefined }

test('a checkpoint, while a run is at it, when none is, and when it is done', async () => {
  const texts = [
    lines('events.checkpoint.json', state, RUNNING),
    lines('events.checkpoint.json', state, IDLE),
    lines('events.checkpoint.json', finished, IDLE),
  ].map((lines) => `${lines.join('\n')}\n`)
  await expect(texts.join('\n')).toMatchFileSnapshot('../../golden/status.txt')
  expect(statusOf('c', state, RUNNING)).toMatchObject({
    running: true,
    held_by: { process: 'process 7 on vm' },
    pending: 1_327,
    migration: { events: 2_740 },
    ends_at: '2024-03-01T00:01:08.124Z',
  })
  expect(statusOf('c', state, IDLE)).toMatchObject({ running: false, done: false, written: 1_740 })
  expect(statusOf('c', finished, IDLE)).toMatchObject({ done: true, pending: 0 })
})

test('the end is foretold by the rate cap, or at the volume cap, where the run stops', () => {
  const large = { ...state, input: { ...state.input, events: 12_961_742 } } as unknown as CheckpointState
  const shown = lines('c', large, IDLE)
  expect(shown).toContain('  ends      2024-03-01 22:03 UTC at the earliest, at the rate cap')
  const capped = { ...large, caps: { ...state.caps, events: 602_740 } }
  expect(statusOf('c', capped, RUNNING).ends_at).toMatch(/^2024-03-01T01:02/)
})

test('how far a packed file is says no offset', () => {
  const packed = {
    ...state,
    input: { kind: 'file', name: 'a.ndjson.gz', size: 1_000 },
    places: [{ part: 0, offset: 5_000, line: 9 }],
  } as unknown as CheckpointState
  expect(statusOf('c', packed, RUNNING)).toMatchObject({ share: null, ends_at: null })
})

test('a cap that only the claim of a killed run fills is not reached: the next run sends what was claimed', () => {
  const capped = { ...state, caps: { ...state.caps, events: 3_000 } }
  const idle = (delivered: number) =>
    lines('c', capped, { ...IDLE, migration: { ...migration, events: 3_000, delivered } }).join('\n')
  expect(idle(2_000)).toContain('then: posthaul import --dataset events/')
  expect(idle(3_000)).toContain('its volume cap is reached')
  expect(idle(3_000)).not.toContain('then:')
})

test('the command that goes on is the one that the import was begun with; an older checkpoint does not know it', () => {
  expect(statusOf('c', state, IDLE)).toMatchObject({ import_command: 'posthaul import --dataset events/' })
  expect(statusOf('c', { ...state, done: true }, IDLE)).toMatchObject({ import_command: null })
  const older = { ...state, command: [] }
  expect(lines('c', older, IDLE).at(-1)).toBe('  running   no: repeat its import command to continue')
  expect(statusOf('c', older, IDLE)).toMatchObject({ import_command: null })
})

test('an import by Capture V1: the route, and what the service said of events', () => {
  const remarks = { warnings: { person_processing_disabled: 12 }, unmerged: { $identify: 3 }, unknown: 1 }
  const via = { ...state, via: 'v1' as const, remarks }
  expect(lines('c', via, IDLE)).toEqual(
    expect.arrayContaining([
      '  by        Capture V1',
      '  warning   stored without person and groups: 12 events',
      '            (person_processing_disabled)',
      '  warning   these merged no people, and changed no person or group: $identify 3',
      expect.stringMatching(/^ {2}written .*, 1 of them unconfirmed$/),
      '  warning   unconfirmed: the service gave no known answer for 1 event; compare',
      '            the counts in the project',
    ]),
  )
  expect(statusOf('c', via, IDLE)).toMatchObject({ via: 'v1', unconfirmed: 1 })
})
