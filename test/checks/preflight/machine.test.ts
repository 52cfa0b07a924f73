import { describe, expect, test } from 'vitest'
import { clockFindings } from '../../../src/checks/preflight/ingest.ts'
import { checkNode } from '../../../src/checks/preflight/preflight.ts'
import { levelsOf, wordsOf } from './tools.ts'

test.each([
  ['20.18.0', 'error'],
  ['18.20.8', 'error'],
  ['20.18.1', 'ok'],
  ['22.0.0', 'ok'],
  ['24.3.0', 'ok'],
  ['120.0.0', 'ok'],
])('Node %s: %s', (node, level) => {
  expect(levelsOf(checkNode({ node }))).toEqual([`${level} node`])
})

describe('the clock', () => {
  const THERE = Date.UTC(2026, 2, 1, 12)
  const date = new Date(THERE).toUTCString()
  const MINUTE = 60_000

  test.each([
    ['agrees', 0, 0, 'ok'],
    ['is off by less than a minute', 55_000, 0, 'ok'],
    ['is a minute and a half ahead', 1.5 * MINUTE, 0, 'warning'],
    ['is behind', -5 * MINUTE, 0, 'warning'],
    ['is an hour ahead', 60 * MINUTE, 0, 'error'],
    ['is a day behind', -1440 * MINUTE, 0, 'error'],
    ['is not to blame for a slow answer', MINUTE, 2 * MINUTE, 'ok'],
  ])('%s', (_, ahead, tookMs, level) => {
    const sentAt = THERE + ahead - tookMs / 2
    const found = clockFindings('https://eu.example', { date, sentAt, receivedAt: sentAt + tookMs })
    expect(levelsOf(found)).toEqual([`${level} clock`])
  })

  test('says which way, since one costs money and the other events', () => {
    const say = (ahead: number) =>
      wordsOf(clockFindings('x', { date, sentAt: THERE + ahead, receivedAt: THERE + ahead }), 'clock')
    expect(say(60 * MINUTE)).toContain('1 h ahead of')
    expect(say(60 * MINUTE)).toContain('count as older')
    expect(say(-3 * 1440 * MINUTE)).toContain('3 days behind')
  })

  test.each([undefined, 'yesterday'])('an answer with the Date %s is a note', (wrong) => {
    const found = clockFindings('https://eu.example', { date: wrong, sentAt: THERE, receivedAt: THERE })
    expect(levelsOf(found)).toEqual(['note clock'])
  })
})
