import { expect, test } from 'vitest'
import type { CheckpointState } from '../../src/delivery/checkpoint.ts'
import { rulesSent } from '../../src/imports/sent-before.ts'

const target = { host: 'https://eu.example', key: 'aa' }
const state = {
  target,
  input: { kind: 'file', size: 100 },
  done: false,
  rules: 'posthog 1.1',
  counts: { delivered: 5 },
}
const rules = (now: string, change: object = {}, { restart = false, bytes = 100, to = target } = {}) => {
  const place = { restart, checkpointPath: 'e.checkpoint.json' }
  const asked = { order: { place }, source: { totalBytes: bytes }, target: to }
  return rulesSent({ ...asked, saved: { ...state, ...change } } as never, now)
}
const made = (now: string) => ({
  what: 'the events that this import has sent, says e.checkpoint.json',
  before: 'posthog 1.1',
  now,
  count: 5,
})

test.each<[string, ReturnType<typeof rules>, ReturnType<typeof rules>]>([
  ['an import that goes on by other rules', rules('posthog 1.2'), made('posthog 1.2')],
  ['by the same ones', rules('posthog 1.1'), made('posthog 1.1')],
  ['a restart, which sends all again', rules('posthog 1.2', {}, { restart: true }), made('posthog 1.2')],
  ['rules of another vendor are of another source', rules('mixpanel 1.2'), undefined],
  ['what was never sent has no rules yet', rules('posthog 1.2', { counts: { delivered: 0 } }), undefined],
  ['another project', rules('posthog 1.2', {}, { to: { ...target, key: 'bb' } }), undefined],
  ['a file that is sent is left alone', rules('posthog 1.2', { done: true }), undefined],
  ['one that has grown is not', rules('posthog 1.2', { done: true }, { bytes: 101 }), made('posthog 1.2')],
  ['what was deleted', rules('posthog 1.2', { undone: { at: '' } }, { restart: true }), undefined],
])('%s', (_, found, expected) => expect(found).toEqual(expected))

test('nothing was begun', () => {
  expect(
    rulesSent({ saved: undefined as CheckpointState | undefined } as never, 'posthog 1.2'),
  ).toBeUndefined()
})
