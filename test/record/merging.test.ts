import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { CUT_OTHERS, MERGE_RULE, MERGING, meetingOf, OTHERS_STAY } from '../../src/record/merging.ts'
import { PAGES } from '../helpers/markdown.ts'

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
  test('one page has the rule, and what becomes of what others brought', () => {
    expect(page('docs/storage.md')).toContain(`${MERGE_RULE}.`)
    expect(page('docs/storage.md')).toContain(`${OTHERS_STAY}.`)
  })

  test('no other page tells of the change: they link to it', () => {
    const others = PAGES.filter((name) => name !== 'docs/storage.md')
    expect(others.filter((name) => page(name).includes(MERGING.changed))).toEqual([])
  })

  test.each([
    'docs/how-it-works.md',
    ...['README', 'amplitude', 'mixpanel', 'segment'].map((vendor) => `docs/vendors/${vendor}.md`),
  ])('%s links to the rule', (name) =>
    expect(page(name)).toMatch(/\((\.\.\/)?storage\.md#when-two-events-merge\)/),
  )

  test('what others brought is cut by the mapping file', () => {
    const text = page('docs/vendors/README.md')
    expect(
      text
        .replaceAll('`', '')
        .replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1')
        .toLowerCase(),
    ).toContain(CUT_OTHERS)
  })
})
