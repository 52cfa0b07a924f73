import { linkSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type CheckpointState, NO_OWN_EVENTS } from '../../src/delivery/checkpoint.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { loadCheckpoint, saveCheckpoint } from '../helpers/checkpoint.ts'
import { testFolder } from '../helpers/folder.ts'

const digest = { bytes: 0, sha256: 'e3b0' }

function state(delivered: number): CheckpointState {
  return {
    tool: 'posthaul 9.9.9',
    id: 'an import',
    started_at: '2024-01-01T00:00:00.000Z',
    saved_at: '2024-01-01T00:00:01.000Z',
    input: { kind: 'file', name: 'events.ndjson', size: 10, head: digest, consumed: digest },
    target: { host: 'https://eu.i.posthog.com', key: '0123456789abcdef' },
    caps: { events_per_minute: 10_000, events: 20_000_000, approved: false },
    command: [],
    via: 'batch',
    remarks: { warnings: {}, unmerged: {}, unknown: 0 },
    rules: 'posthog 1.1',
    places: [
      { part: 0, offset: 7, line: 2 },
      { part: 0, offset: 9, line: 3 },
    ],
    most_lanes: 4,
    counts: { delivered, rejected: 1, filtered: 0 },
    filters: {},
    young: 0,
    reasons: { bad_json: 1 },
    notes: { ...emptyNotes(), big_integers: { 'order id': 3 } },
    rejects: digest,
    own: NO_OWN_EVENTS,
    done: false,
  }
}

async function saved(...delivered: number[]): Promise<string> {
  const path = join(testFolder(), 'x.checkpoint.json')
  for (const count of delivered) await saveCheckpoint(path, state(count))
  return path
}

test('a checkpoint that lacks a member was written by another version', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const { rules: _, ...others } = state(1)
  await saveCheckpoint(path, others as CheckpointState)
  await expect(loadCheckpoint(path)).rejects.toMatchObject({
    code: 'mismatch',
    message: `${path} was written by another version of posthaul`,
    hint: expect.stringMatching(
      /^go on with that version, or start over with --restart --accept state_unreadable/,
    ),
  })
})

test('a member named __proto__ is counted on by the next run', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const ignored_members = JSON.parse('{"__proto__":2,"constructor":1}')
  await saveCheckpoint(path, { ...state(1), notes: { ...emptyNotes(), ignored_members } })
  const notes = (await loadCheckpoint(path))?.state.notes
  expect(JSON.stringify(notes?.ignored_members)).toBe('{"__proto__":2,"constructor":1}')
})

test.each([
  ['a symbolic link', symlinkSync],
  ['a hard link', linkSync],
])('%s in the place of the draft is removed, and its target kept', async (_, plant) => {
  const path = await saved(1)
  const precious = join(testFolder(), 'precious')
  writeFileSync(precious, 'precious')
  plant(precious, `${path}.tmp`)
  await saveCheckpoint(path, state(2))
  expect(readFileSync(precious, 'utf8')).toBe('precious')
  expect(lstatSync(path).isFile()).toBe(true)
  expect((await loadCheckpoint(path))?.state.counts.delivered).toBe(2)
})

test('a folder that is not there, or not ours to write, is the user’s to mend', async () => {
  await expect(saveCheckpoint('/nowhere/x.json', state(1))).rejects.toMatchObject({ code: 'input' })
})
