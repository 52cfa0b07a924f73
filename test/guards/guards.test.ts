import { describe, expect, test } from 'vitest'
import type { GuardFacts } from '../../src/guards/guard.ts'
import { GUARDS, GuardedRun, guardFindings } from '../../src/guards/guards.ts'

const types = (count: number) => Array.from({ length: count }, (_, n) => `type-${n}`)
const fitting = (parts: object) => ({ tooMany: [], younger: [], missing: [], ...parts })
const younger = { type: 'company', since: 2e15, oldest: 1e15, hidden: 7, atMost: false }
const missing = { type: 'team', events: 3, oldest: 1e15 }

type Row = [name: string, facts: GuardFacts, found: readonly string[]]

/** Of each guard, which facts give which findings. A fact that is absent gives none. */
const TABLE: readonly Row[] = [
  ['nothing is known', {}, []],
  ['five group types', { groups: { named: types(5) } }, []],
  ['six', { groups: { named: types(6) } }, ['error group_types 6']],
  [
    'six with those of the project',
    { groups: { named: types(2), fit: fitting({ tooMany: types(6), missing: [missing] }) } },
    ['error group_types 6'],
  ],
  [
    'a group type that is younger than its events',
    { groups: { named: ['company'], fit: fitting({ younger: [younger] }) } },
    ['error hidden_groups 7'],
  ],
  [
    'a group type that import makes',
    { groups: { named: ['team'], fit: fitting({ missing: [missing] }) } },
    ['note new_group_types 1'],
  ],
  [
    'group types that nobody asked for',
    { groups: { named: ['a'], unasked: 'no key' } },
    ['note groups_unasked 1'],
  ],
  ['no groups, and nobody asked', { groups: { named: [], unasked: 'no key' } }, []],
]

test.each(TABLE)('%s', (_, facts, expected) => {
  const found = guardFindings(facts)
  expect(found.map(({ level, kind, count }) => `${level} ${kind} ${count}`)).toEqual(expected)
  for (const { text } of found) expect(text).toMatch(/^\S.*[^.]$/s)
})

test('the table has every code of every guard, at the level that the guard states', () => {
  const stated = GUARDS.flatMap(({ codes }) =>
    Object.entries(codes).map(([code, { level }]) => `${level} ${code}`),
  )
  const shown = TABLE.flatMap(([, , found]) => found.map((one) => one.split(' ').slice(0, 2).join(' ')))
  expect(new Set(shown)).toEqual(new Set(stated))
  expect(new Set(stated).size).toBe(stated.length)
})

test('what can be accepted is an error of the guard', () => {
  for (const { codes } of GUARDS)
    for (const { level, accepted } of Object.values(codes))
      if (accepted !== undefined) expect(level).toBe('error')
})

describe('a run', () => {
  const facts = { groups: { named: types(6), fit: fitting({ younger: [younger] }) } }
  const look = (...accept: string[]) => {
    const notes: string[] = []
    const run = new GuardedRun(accept, (text) => notes.push(text), 'nothing was sent')
    return { run, notes, look: (these: GuardFacts = facts) => run.look(these) }
  }
  const hidden = { groups: { named: ['company'], fit: fitting({ younger: [younger] }) } }

  test('stops at the first error, whatever the guard, and names the others', () => {
    expect(() => look().look()).toThrow(
      expect.objectContaining({
        code: 'found',
        exitCode: 3,
        finding: 'group_types',
        message: expect.stringMatching(/^6 group types, .*; nothing was sent$/),
        lines: [expect.stringContaining('7 events would not show their company')],
        hint: expect.not.stringContaining('--accept'),
      }),
    )
  })

  test('says how to accept what can be accepted', () => {
    const hint = expect.stringMatching(/^ask PostHog.*; to go on all the same add --accept hidden_groups$/)
    expect(() => look().look(hidden)).toThrow(expect.objectContaining({ finding: 'hidden_groups', hint }))
  })

  test('goes on with what is accepted, and notes it', () => {
    const { run, notes, look: again } = look('hidden_groups')
    again(hidden)
    expect(notes).toEqual([expect.stringContaining('7 events would not show their company')])
    expect(run.findings).toMatchObject([
      { kind: 'hidden_groups', level: 'warning', remedy: expect.not.stringContaining('--accept') },
    ])
    expect(() => again(facts)).toThrow(expect.objectContaining({ finding: 'group_types' }))
  })

  test('takes no other code for it', () => {
    expect(() => look('group_types').look()).toThrow(expect.objectContaining({ finding: 'group_types' }))
  })
})
