import { readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { VERSION } from '../../../src/version.ts'
import { runCommand } from '../../helpers/command.ts'
import { countedDataset, type Days } from '../../helpers/counted-dataset.ts'
import { makeEvent } from '../../helpers/events.ts'
import { testFolder } from '../../helpers/folder.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const DAYS: Days = { '2024-03-01': { $pageview: 220, signup: 31 }, '2024-03-02': { $pageview: 5 } }

async function dataset(
  days: Days = DAYS,
  properties: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  return countedDataset(join(testFolder(), 'events'), days, properties)
}

const check = async (path: string, ...more: string[]) => {
  const ran = await runCommand(['check', path, ...more], { columns: 80 })
  return { ...ran, stdout: ran.stdout.replaceAll(path, 'events').replace(VERSION, '0.0.0') }
}
const kindsOf = (stdout: string) =>
  (JSON.parse(stdout) as { problems: { code: string; count: number }[] }).problems.map(({ code, count }) => [
    code,
    count,
  ])

test('tells volume, time, cost and the request', async () => {
  const ran = await check(await dataset())
  expect(ran.code).toBe(0)
  expectNarrow(ran.stdout)
  await expect(ran.stdout).toMatchFileSnapshot('../../golden/check.txt')
})

test('tells every problem, and the command that overcomes it', async () => {
  const groups = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f\x1b[2J'].map((type) => [type, 'x']))
  const path = await dataset({ '2024-03-01': { $merge_dangerously: 2, signup: 30 } }, { $groups: groups })
  const file = join(path, 'manifest.json')
  const manifest = JSON.parse(await readFile(file, 'utf8'))
  manifest.records = { ...manifest.records, read: 35, rejected: 3 }
  manifest.big_integers = { account: 12 }
  await writeFile(file, JSON.stringify(manifest))
  const ran = await check(path, '--max-events-per-minute', '60000', '--max-events', '30', '--lanes', '4')
  expectNarrow(ran.stdout)
  await expect(ran.stdout).toMatchFileSnapshot('../../golden/check-problems.txt')
  expect(ran.code).toBe(3)
})

describe('exit code', () => {
  const groupEvent = (key: string) => ({ $group_type: 'company', $group_key: key, $group_set: {} })
  test.each([
    ['3 for group keys that the service drops', { $groupidentify: 2 }, groupEvent('k'.repeat(401)), 3],
    ['0 for the longest that it takes', { $groupidentify: 2 }, groupEvent('\u{1f600}'.repeat(400)), 0],
    ['3 for events that the service drops', { $performance_event: 1 }, {}, 3],
    ['0 for a warning', { $merge_dangerously: 1 }, {}, 0],
  ])('%s', async (_, day, properties, code) => {
    const path = await dataset({ '2024-03-01': day }, properties)
    const text = await check(path)
    const json = await check(path, '--json')
    expect([text.code, json.code]).toEqual([code, code])
    const again = 'hen: posthaul check '
    expect(text.stdout.includes(again)).toBe(code === 3)
    expect(json.stderr.includes(again)).toBe(code === 3)
  })
})

/** No line is wider than a terminal, but for the command, which a terminal may wrap. */
function expectNarrow(text: string): void {
  expect(text.split('\n').filter((line) => line.length > 80 && !line.startsWith('Then: '))).toEqual([])
}

describe('group types', () => {
  test.each([
    [
      'of events',
      { a: { $pageview: 2 } },
      { $groups: { company: 'x', 'a "b"': 'y' } },
      { company: 2, 'a "b"': 2 },
    ],
    ['of group events', { a: { $groupidentify: 3 } }, { $group_type: 'team', $group_key: 'k' }, { team: 3 }],
    ['of neither', { a: { signup: 1 } }, { text: '$groups', $group_type: 'not a group event' }, {}],
  ])('%s', async (_, { a }, properties, types) => {
    const { stdout } = await check(
      await dataset({ '2024-03-01': a as Record<string, number> }, properties),
      '--json',
    )
    expect(JSON.parse(stdout).group_types).toEqual(types)
  })
})

test('each problem has a level, what it rests on, a count, an example, and what to do', async () => {
  const { stdout } = await check(await dataset({ '2024-03-01': { $performance_event: 2 } }), '--json')
  const uuid = '00000000-0000-4000-8000-000000000000'
  expect(JSON.parse(stdout).problems).toEqual([
    {
      code: 'dropped_events',
      level: 'error',
      rests_on: 'document',
      count: 2,
      names: ['$performance_event'],
      text: expect.stringContaining('$performance_event'),
      cause: null,
      example: uuid,
      remedy: expect.stringContaining('events: { drop: ["$performance_event"] }'),
      places: [],
    },
  ])
})

describe('the boundary', () => {
  const hours = (ago: number) => new Date(Date.now() - ago * 3_600_000).toISOString()
  const file = async (event: object) => {
    const path = join(testFolder(), 'a.ndjson')
    await writeFile(path, `${JSON.stringify({ ...makeEvent(0), ...event })}\n`)
    return runCommand(['check', '--file', path, '--json'], { columns: 80 })
  }
  const kinds = (stdout: string) => kindsOf(stdout).map(([kind]) => kind)

  test.each([
    [47, ['young_events']],
    [49, []],
  ])('an event %i hours old', async (ago, expected) => {
    const { stdout } = await file({ timestamp: hours(ago) })
    expect(kinds(stdout)).toEqual(expected)
  })

  test('a line that import will reject is named with its reason', async () => {
    const ran = await file({ timestamp: 'yesterday' })
    expect(JSON.parse(ran.stdout).problems).toContainEqual(
      expect.objectContaining({
        code: 'all_rejected',
        names: ['timestamp_unparsable'],
        example: expect.stringMatching(/^line 1: timestamp_unparsable: /),
      }),
    )
  })
})

test('text of the data does not reach a terminal as it is', async () => {
  const ran = await check(await dataset({ '2024-03-01': { '$\x1b[2J': 1 } }, { $session_id: '\x1b]0;x\x07' }))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
  expect(ran.stdout).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f]/)
})

test('the import that it names has the switches that it was given', async () => {
  const file = join(testFolder(), 'a.ndjson')
  await writeFile(
    file,
    '{"event":"$merge_dangerously","distinct_id":"u","timestamp":"2024-03-01T00:00:00Z"}\n',
  )
  const ran = await runCommand(['check', '--file', file, '--with', 'merge-dangerously'], { columns: 80 })
  expect(ran.stdout).toContain(`Then: posthaul import --file ${file} --with merge-dangerously\n`)
})

test.each([
  [
    'is gone',
    (part: string) => rm(part),
    '2024-03-01.ndjson is missing: the manifest of the dataset names it',
  ],
  ['is cut', (part: string) => truncate(part, 100), 'it has 100 bytes, and the manifest says'],
  [
    'holds something else',
    async (part: string) => writeFile(part, (await readFile(part, 'utf8')).replace('signup', 'logout')),
    'its sha256 differs',
  ],
])(
  'a dataset of which a part %s is named by check and import, and nothing is said of its events',
  async (_, spoil, words) => {
    const path = await dataset()
    await spoil(join(path, '2024-03-01.ndjson'))
    for (const argv of [
      ['check', path],
      ['import', '--dataset', path, '--dry-run'],
    ]) {
      const ran = await runCommand(argv, { env: { POSTHOG_PROJECT_API_KEY: 'phc_test' } })
      const said = unfolded(ran.stderr)
      expect([ran.code, ran.stdout]).toEqual([6, ''])
      expect(said).toContain('2024-03-01.ndjson')
      expect(said).toContain(words)
      expect(said).toContain('make the dataset again with the command that made it')
    }
  },
)
