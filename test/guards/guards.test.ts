import { describe, expect, test } from 'vitest'
import type { HeldThere } from '../../src/checks/project-side.ts'
import { PosthaulError } from '../../src/errors.ts'
import type { GuardFacts } from '../../src/guards/guard.ts'
import { GUARDS, guardedRun, guardFindings } from '../../src/guards/guards.ts'
import { REFUSALS } from '../../src/guards/refusals.ts'
import type { Quota } from '../../src/service/event-quota.ts'
import type { RuleDeed } from '../../src/service/project-rules.ts'

const types = (count: number) => Array.from({ length: count }, (_, n) => `type-${n}`)
const fitting = (parts: object) => ({ tooMany: [], younger: [], missing: [], ...parts })
const younger = { type: 'company', since: 2e15, oldest: 1e15, hidden: 7, atMost: false }
const missing = { type: 'team', events: 3, oldest: 1e15 }

const held = (others: number, more: Partial<HeldThere> = {}): GuardFacts => ({
  held: {
    days: [{ day: '2024-03-01', events: 9, own: 2, others }],
    held: { places: [], asked: 3, merges: 0, moved: 0, apart: 0, renamed: 0, ...more },
  },
})
const sent = { input: 'g1', sent: 20, lines: ['10 differ'], twice: 10, names: ['2024-03-01 signup'] }
const quota = (there: Quota): GuardFacts => ({ quota: { there, events: 5, sent: 1 } })
const hidden = (firstDay: string): GuardFacts => ({
  hidden: {
    retention: { months: 24, firstDay },
    days: { '2024-03-01': 3, '2024-03-02': 4, '2024-03-03': 5 },
    names: [['signup', 7]],
    isOfFiles: false,
  },
})
const namesOf = new Map([
  ['paid', 1],
  ['signup', 2],
])
const ruled = (deed: RuleDeed, ...rules: string[]): GuardFacts => ({
  ruled: { events: [{ deed, count: 3, names: namesOf, rules }], unread: [] },
})
const away = new PosthaulError('no answer', { code: 'unavailable', hint: 'wait' })

const uuids = (kind: 'file' | 'dataset', timestamp: number): GuardFacts => {
  const by = { distinct_id: 0, event: 0, timestamp }
  return { uuids: { kind, count: timestamp, by, example: 'x', isEstimated: false } }
}
const unmatched = (read: number, more: object = {}): GuardFacts => ({
  unmatched: { read, list: { path: 'gone.txt', ids: 4 }, unhashed: ['mail'], ...more },
})
const rules = (now: string): GuardFacts => ({
  rules: { what: 'the events in g1', before: 'a 1', now, count: 5 },
})
const tested = (...failed: string[]): GuardFacts => ({
  tests: { map: 'm.yaml', all: 3, failed, others: failed.length > 0 ? [] : ['for other options'] },
})
const trial = (whole: number, others: number): GuardFacts => ({ trial: { project: 'p', whole, others } })
const grouped = (named: string[], parts?: object): GuardFacts => ({
  groups: { named, ...(parts && { fit: fitting(parts) }) },
})
const copy = { input: 'copy', delivered: 20, checkpoint: 'g1.checkpoint.json', isGone: false }
const over = { limited: true, usage: 5, limit: 4 }
const short = { limited: false, usage: 5, limit: 6 }
const enough = { limited: false, usage: 5, limit: 9 }
const copies = (twins: number, files: [string, string][]): GuardFacts => ({ copies: { twins, files } })
const lines = (sent: number, rejects: Record<string, number>): GuardFacts => ({
  lines: { sent, rejects, example: undefined },
})

type Row = [name: string, facts: GuardFacts, found: readonly string[]]

/** Of each guard, which facts give which findings. A fact that is absent gives none. */
const TABLE: readonly Row[] = [
  ['nothing is known', {}, []],
  ['five group types', grouped(types(5)), []],
  ['six', grouped(types(6)), ['error group_types 6']],
  [
    'six with those of the project',
    grouped(types(2), { tooMany: types(6), missing: [missing] }),
    ['error group_types 6'],
  ],
  [
    'a group type that is younger than its events',
    grouped(['company'], { younger: [younger] }),
    ['error hidden_groups 7'],
  ],
  ['a group type that import makes', grouped(['team'], { missing: [missing] }), ['note new_group_types 1']],
  ['group types nobody asked for', { groups: { named: ['a'], unasked: true } }, ['note groups_unasked 1']],
  ['events of another import', held(4), ['error other_imports 4']],
  ['events of this import that would not merge', held(0, { moved: 2, apart: 1 }), ['error other_imports 3']],
  ['events that would merge', held(0, { merges: 9 }), []],
  ['days that nobody asked about', { unaskedDays: ['2024-03-01'] }, ['note days_unasked 1']],
  ['ids that repeat over a tenth of the records', { repeats: { read: 60, unlike: 6, estimated: false } }, []],
  [
    'a list to forget and a hash that match nothing',
    unmatched(9),
    ['error forgets_nobody 4', 'error hashes_nothing 1'],
  ],
  ['those that match', unmatched(9, { list: undefined, unhashed: [] }), []],
  ['no record at all', unmatched(0), []],
  ['uuids of one event each', uuids('file', 0), []],
  ['uuids of several in files', uuids('file', 2), ['error repeated_uuids 2']],
  ['in a dataset', uuids('dataset', 2), ['note shared_uuids 2']],
  ['lines that are all rejects', lines(0, { bad_json: 1, event_missing: 2 }), ['error all_rejected 3']],
  ['all but one', lines(1, { bad_json: 3 }), []],
  ['lines that are left out on purpose', lines(0, {}), []],
  ['over more', { repeats: { read: 60, unlike: 7, estimated: true } }, ['error repeated_ids 7']],
  ['a file that is there twice', copies(2, [['b.csv', 'a.csv']]), ['error repeated_files 1']],
  ['a file that is there twice, with ids', copies(0, [['b.csv', 'a.csv']]), []],
  ['records that are alike', copies(2, []), []],
  ['a state that nobody can read', { unreadable: 'x is damaged' }, ['error state_unreadable 1']],
  ['a dataset that was made anew', { sent }, ['error sent_otherwise 10']],
  ['a copy', { copy }, ['error sent_before 20']],
  ['other rules', rules('a 2'), ['error rules_changed 5']],
  ['the same rules', rules('a 1'), []],
  ['datasets of --after by another mapping', { othersMap: ['a', 'b'] }, ['warning mapping_changed 2']],
  ['tests that pass', tested(), []],
  ['a test that fails', tested('a: b'), ['error failing_tests 1']],
  ['a key of nobody', { wrongKey: 'no project has it' }, ['error key_mismatch 1']],
  ['a project over its quota', quota(over), ['error over_quota 4']],
  ['one whose quota is short of what is not sent yet', quota(short), ['warning quota_short 3']],
  ['one that is over its quota as the import ends', { quotaAtEnd: over }, ['warning quota_reached 1']],
  ['one that is not', { quotaAtEnd: enough }, []],
  ['one whose quota is enough', quota(enough), []],
  ['one without a limit', quota({ ...enough, limit: null }), []],
  ['events of days before those that the project shows', hidden('2024-03-03'), ['error hidden_events 7']],
  ['only of days that it shows', hidden('2024-03-01'), []],
  ['a live event filter that matches', ruled('filters', ''), ['error filtered_events 3']],
  ['one that is a dry run', ruled('would_filter', ''), ['warning dry_filtered_events 3']],
  ['a restriction that drops', ruled('drops', 'redirect_to_dlq'), ['error restricted_events 3']],
  ['one that does something else', ruled('restricts', 'skip_person_processing'), ['warning bent_events 3']],
  ['an enforced definition', ruled('enforces', 'paid'), ['error enforced_events 3']],
  ['a transformation', ruled('transforms', 'Lower case'), ['warning transformed_events 3']],
  ['rules that match nothing', { ruled: { events: [], unread: [] } }, []],
  [
    'rules that this key may not read',
    { ruled: { events: [], unread: ['a', 'b'] } },
    ['note rules_unread 2'],
  ],
  ['a trial in a new project', trial(0, 100_000), []],
  ['in one that is in use', trial(0, 100_001), ['error trial_project 100001']],
  ['in that of the whole', trial(1, 0), ['error trial_project 1']],
  ['a question that failed', { unasked: [{ what: 'x', error: away }] }, ['error project_unasked 1']],
  ['no groups, and nobody asked', { groups: { named: [], unasked: true } }, []],
]

test.each(TABLE)('%s', (_, facts, expected) => {
  const found = guardFindings(facts)
  expect(found.map(({ level, code, count }) => `${level} ${code} ${count}`)).toEqual(expected)
  for (const { text } of found) expect(text).toMatch(/^\S.*[^.]$/s)
})

test('the table has every code of every guard, at the level that the guard states', () => {
  // What delivery finds in mid-run has no facts before.
  const stated = GUARDS.filter((guard) => guard !== REFUSALS).flatMap(({ codes }) =>
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

test('a rule is told with the names that it drops, commonest first, and with its own', () => {
  const [restricted] = guardFindings(ruled('drops', 'redirect_to_dlq', 'drop_event_from_ingestion'))
  expect(restricted).toMatchObject({
    names: ['signup', 'paid'],
    text: expect.stringContaining(
      '(redirect_to_dlq, drop_event_from_ingestion) drops 3 events (signup 2, paid 1)',
    ),
    remedy: expect.stringContaining('--accept restricted_events'),
  })
  expect(guardFindings(ruled('filters', ''), ['filtered_events'])[0]!.level).toBe('warning')
})

describe('a run', () => {
  const facts = { groups: { named: types(6), fit: fitting({ younger: [younger] }) } }
  const look = (...accept: string[]) => {
    const notes: string[] = []
    const run = guardedRun(accept, (text) => notes.push(text), 'nothing was sent')
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
      { code: 'hidden_groups', level: 'warning', remedy: expect.not.stringContaining('--accept') },
    ])
    expect(() => again(facts)).toThrow(expect.objectContaining({ finding: 'group_types' }))
  })

  test('stops with another exit code where all can be over by itself', () => {
    const unasked = (code: 'unavailable' | 'auth') => {
      const facts = { unasked: [{ what: 'x', error: new PosthaulError('no', { code, hint: 'wait' }) }] }
      return () => look().look(facts)
    }
    expect(unasked('unavailable')).toThrow(
      expect.objectContaining({ exitCode: 5, finding: 'project_unasked' }),
    )
    expect(unasked('auth')).toThrow(expect.objectContaining({ exitCode: 3 }))
  })

  test('asks, and goes on without an answer where that is accepted', async () => {
    const failing = async () => Promise.reject(away)
    const { run, notes } = look('project_unasked')
    expect(await run.ask('what is there', Promise.resolve(7))).toBe(7)
    expect(await run.ask('what is there', failing())).toBeUndefined()
    expect(notes).toEqual(['could not ask what is there: no answer'])
    await expect(look().run.ask('what is there', failing())).rejects.toMatchObject({
      hint: 'wait; to go on all the same add --accept project_unasked',
    })
    await expect(run.ask('x', failing(), () => false)).rejects.toBe(away)
    const stopped = new PosthaulError('interrupted', { code: 'interrupted' })
    await expect(run.ask('x', Promise.reject(stopped))).rejects.toBe(stopped)
  })

  test('takes no other code for it', () => {
    expect(() => look('group_types').look()).toThrow(expect.objectContaining({ finding: 'group_types' }))
  })
})
