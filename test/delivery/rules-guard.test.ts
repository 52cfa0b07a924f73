import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { RunOptions } from '../../src/delivery/run-parts.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { FakePost } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'

const linesOf = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => `${eventLine(makeEvent(from + n))}\n`).join('')

type Setup = Partial<Omit<RunOptions, 'post' | 'envelope'>>

/** Sends a part of a file by the rules `posthog 1.1`, and then the rest as `setup` says. */
async function goOn(setup: Setup, { sent = 100, all = 250 } = {}) {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, linesOf(0, all))
  const caps = { perMinute: 1e9, events: sent, approved: true }
  await importFile({ path, post: new FakePost(), rules: 'posthog 1.1', caps })
  const checkpoint = `${path}.checkpoint.json`
  const before = readFileSync(checkpoint, 'utf8')
  const post = new FakePost()
  const outcome = await importFile({ path, post, ...setup }).catch((error: unknown) => ({ error }))
  if (outcome.error !== undefined) expect(readFileSync(checkpoint, 'utf8')).toBe(before)
  return { path, outcome, sentNow: post.accepted.length, error: outcome.error }
}

const refused = {
  code: 'mismatch',
  message: expect.stringContaining('other rules'),
  hint: expect.stringContaining('--rules-changed'),
}

describe('an import that other rules began', () => {
  test('stops, and says so', async () => {
    const { error, sentNow } = await goOn({ rules: 'posthog 1.2' })
    expect([error, sentNow]).toEqual([expect.objectContaining(refused), 0])
  })

  test('is not restarted either: all would be there twice', async () => {
    expect((await goOn({ rules: 'posthog 1.2', restart: true })).error).toMatchObject(refused)
    const changed = await goOn({ rules: 'posthog 1.2', restart: true, rulesChanged: true })
    expect([changed.error, changed.sentNow]).toEqual([undefined, 250])
  })

  test('goes on with --rules-changed, and from then on by the new rules', async () => {
    const { path, error, sentNow } = await goOn({ rules: 'posthog 1.2', rulesChanged: true })
    expect([error, sentNow]).toEqual([undefined, 150])
    expect((await loadCheckpoint(`${path}.checkpoint.json`))?.state.rules).toBe('posthog 1.2')
  })

  test('is left alone when it is finished, and stops when its file grows', async () => {
    const { path, error } = await goOn({ rules: 'posthog 1.2' }, { sent: 250 })
    expect(error).toBeUndefined()
    appendFileSync(path, linesOf(250, 5))
    await expect(importFile({ path, post: new FakePost(), rules: 'posthog 1.2' })).rejects.toMatchObject(
      refused,
    )
  })
})

test('the same rules are no other rules', async () => {
  const { error, sentNow } = await goOn({ rules: 'posthog 1.1' })
  expect([error, sentNow]).toEqual([undefined, 150])
})

test('rules of another vendor are of another source, not of another version', async () => {
  const { error, sentNow } = await goOn({ rules: 'mixpanel 1.1', restart: true })
  expect([error, sentNow]).toEqual([undefined, 250])
})

test('what was never sent has no rules yet', async () => {
  const { error, sentNow } = await goOn({ rules: 'posthog 1.2' }, { sent: 1, all: 0 })
  expect([error, sentNow]).toEqual([undefined, 0])
})
