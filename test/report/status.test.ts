import { expect, test } from 'vitest'
import type { CheckpointState } from '../../src/delivery/checkpoint.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { statusJson, statusLines } from '../../src/report/status.ts'

const state = {
  input: { kind: 'dataset', name: 'events/', size: 1_400_000, events: 3_069 },
  target: { host: 'https://eu.i.posthog.com', key: 'x' },
  counts: { delivered: 1_740, rejected: 2 },
  reasons: { bad_json: 2 },
  caps: { events_per_minute: 10_000, events: 20_000_000, approved: false },
  done: false,
  started_at: '2024-03-01T00:00:00.000Z',
  saved_at: '2024-03-01T00:01:00.000Z',
  notes: emptyNotes(),
  places: [],
} as unknown as CheckpointState
const since = '2024-03-01T00:00:00.000Z'
const me = { who: 'process 7 on vm', since, purpose: 'import of events/', seen: true }
const other = { who: 'process 1 on pod-7', since, purpose: 'import of b.ndjson', seen: false }
const migration = { events: 2_740, delivered: 2_740, since, imports: 2 }
const RUNNING = { runs: me, migration, drawing: [me, other] }
const IDLE = { runs: undefined, migration: undefined, drawing: [] }

test('a checkpoint, while a run is at it, when none is, and when it is done', async () => {
  const texts = [
    statusLines('events.checkpoint.json', state, RUNNING),
    statusLines('events.checkpoint.json', state, IDLE),
    statusLines('events.checkpoint.json', { ...state, done: true }, IDLE),
  ].map((lines) => `${lines.join('\n')}\n`)
  await expect(texts.join('\n')).toMatchFileSnapshot('../golden/status.txt')
  expect(statusJson('c', state, RUNNING)).toMatchObject({
    running: true,
    held_by: { process: 'process 7 on vm' },
    migration: { events: 2_740 },
    drawing_on_cap: [{ seen: true }, { seen: false }],
  })
  expect(statusJson('c', state, IDLE)).toMatchObject({ running: false, done: false, written: 1_740 })
})

test('a cap that only the claim of a killed run fills is not reached: the next run sends what was claimed', () => {
  const capped = { ...state, caps: { ...state.caps, events: 3_000 } }
  const idle = (delivered: number) =>
    statusLines('c', capped, { ...IDLE, migration: { ...migration, events: 3_000, delivered } }).join('\n')
  expect(idle(2_000)).toContain('repeat its import command to continue')
  expect(idle(3_000)).toContain('its volume cap is reached')
})
