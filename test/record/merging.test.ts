import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CUT_OTHERS, MERGE_RULE, MERGING, meetingOf, OTHERS_STAY } from '../../src/record/merging.ts'

const page = (name: string) =>
  readFileSync(join(import.meta.dirname, '../..', name), 'utf8').replaceAll(/\s+/g, ' ')

const one = { uuid: 'u', event: 'login', distinctId: 'ada', timestamp: '2024-03-01T12:00:00.5Z' }

test.each([
  ['the same microsecond, written otherwise', { timestamp: '2024-03-01 12:00:00.500000' }, 'merges'],
  ['a microsecond later', { timestamp: '2024-03-01 12:00:00.500001' }, 'moved'],
  ['another millisecond', { timestamp: '2024-03-01 12:00:00.501' }, 'moved'],
  ['another day', { timestamp: '2024-03-02 12:00:00.5' }, 'moved'],
  ['another name', { event: 'log in' }, 'apart'],
  ['another person', { distinctId: 'bea' }, 'apart'],
])('%s', (_, other, meeting) => expect(meetingOf(one, { ...one, ...other })).toBe(meeting))

test('a time that PostHog cut to the millisecond meets the same event again', () => {
  const exact = { ...one, timestamp: '2024-03-01T12:00:00.123456Z' }
  const there = (timestamp: string) => meetingOf(exact, { ...one, timestamp })
  expect(there('2024-03-01 12:00:00.123')).toBe('merges')
  expect(there('2024-03-01 12:00:00.123456')).toBe('merges')
  expect(there('2024-03-01 12:00:00.123457')).toBe('moved')
  expect(there('2024-03-01 12:00:00.124')).toBe('moved')
})

describe('pages say what the table says', () => {
  test.each(['docs/how-it-works.md', 'docs/vendors/README.md'])('%s has the rule', (name) =>
    expect(page(name)).toContain(`${MERGE_RULE}.`),
  )

  test('what others brought stays, and how to cut it', () => {
    const text = page('docs/vendors/README.md')
    expect(text).toContain(`${OTHERS_STAY}.`)
    expect(text.replaceAll('`', '').replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')).toContain(CUT_OTHERS)
  })

  test.each([
    'README.md',
    ...['amplitude', 'mixpanel', 'segment'].map((vendor) => `docs/vendors/${vendor}.md`),
  ])('%s names the day of the change', (name) => expect(page(name)).toContain(MERGING.changed))

  test('no page says that a managed migration merges by the day only', () => {
    for (const name of ['README', 'amplitude', 'mixpanel', 'segment']) {
      expect(page(`docs/vendors/${name}.md`)).not.toContain('by the UTC day only')
    }
  })
})
