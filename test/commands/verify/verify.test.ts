import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { previousOf } from '../../../src/state/cell.ts'
import { runCommand } from '../../helpers/command.ts'
import { countedDataset } from '../../helpers/counted-dataset.ts'
import { writeDataset } from '../../helpers/dataset.ts'
import { eventLine, makeEvent, type TestEvent } from '../../helpers/events.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { queryProxy } from '../../helpers/query-proxy.ts'
import { fileSandbox, sandboxEnv } from '../../helpers/sandbox-env.ts'
import { timeless } from '../../helpers/screen.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const folder = makeFolder()
const sandbox = await fileSandbox({ timeZone: 'Pacific/Auckland' })
const events = await countedDataset(join(folder, 'events'), {
  '2024-03-01': { $pageview: 12, signup: 2 },
  '2024-03-02': { $pageview: 5 },
  '2024-05-02': { signup: 1 },
})

function run(...argv: string[]) {
  const env = sandboxEnv(sandbox)
  return runCommand(argv, { env, columns: 80 })
}

/** Imports a dataset at once. */
const importAll = (dataset: string, ...more: string[]) =>
  run('import', '--dataset', dataset, '--approved', '--max-events-per-minute', '1000000', ...more)

/** Sends events that no import knows of. */
async function send(batch: readonly object[], more: object = {}): Promise<void> {
  const body = JSON.stringify({ api_key: sandbox.projectKey, ...more, batch })
  await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
}

test('before the import: everything differs, exit 3', async () => {
  const ran = await run('verify', events)
  expect(ran.code).toBe(3)
  const text = `${ran.stdout}${ran.stderr}`.replaceAll(events, 'events')
  await expect(timeless(text)).toMatchFileSnapshot('../../golden/verify-nothing-there.txt')
})

test('after it: equal, exit 0, though some was sent twice', async () => {
  expect((await importAll(events)).code).toBe(0)
  await importAll(events, '--restart')
  const ran = await run('verify', events)
  expect(timeless(ran.stderr)).toBe(
    'verify: equal: 20 events in 3 days: all are there, exactly\n' +
      '  compared: id, person, name and time of every event, on these days alone\n' +
      '  values: 20 events compared, as they were sent\n' +
      '    changed by the service as it always does: geoip 160, ip 20, person\n' +
      '    properties 40\n' +
      '  persons: about 7 distinct ids here; about 7 distinct ids in the service, of\n' +
      '    about 7 persons\n' +
      'INFO verify: done in … (exit code 0)\n',
  )
  expect([ran.code, ran.stdout]).toEqual([0, ''])
})

test('live events of the same days: more there, named, and others beside', async () => {
  const uuid = '0190c5f2-0000-4000-8000-00000000000a'
  const batch = [{ uuid, event: 'signup' }, { event: 'live' }].map((event) => ({
    ...event,
    timestamp: '2024-03-01T12:00:00Z',
    properties: { distinct_id: 'someone' },
  }))
  await send(batch)
  const ran = await run('verify', events, '--json', '--sample', '0')
  expect(ran.code).toBe(3)
  const difference = { day: '2024-03-01', event: 'signup' }
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ...{ hidden: null, datasets: [events], equal: false, days: 3, doubled: [] },
    events: { here: 20, service: 21, others: 1, missing: 0, unknown: 1, moved: 0, rounded: 0, apart: 0 },
    differences: [{ ...difference, here: 2, service: 3, missing: 0, unknown: 1, moved: 0 }],
    inputs: [{ paths: [events], events: 20, days: 3, whole_days: 0, import_ids: null }],
    ...{ unreadable: 0, missing: [], missing_file: null, values: null, likely_causes: [], unasked: [] },
    unknown: [{ ...difference, uuid, distinct_id: 'someone' }],
    persons: { distinct_ids: { here: 7, service: 8 }, persons: 8, merges: { events: 0 }, groups: [] },
    ingestion_warnings: { unasked: null, types: [] },
  })
})

/** Each sent in the place of the first event of a day, and looked for without a sample. */
test.each([
  ['another person', { distinct_id: 'somebody else' }, { missing: 1, unknown: 1 }],
  ['another time of the day', { timestamp: '2025-05-01T20:00:00.000Z' }, { moved: 1 }],
  ['another name', { event: 'renamed' }, { missing: 1 }],
  ['another day', { timestamp: '2025-05-02T10:00:00.000Z' }, { missing: 1 }],
  ['lost', undefined, { missing: 1 }],
  ['what is below a millisecond', { timestamp: '2025-05-01T10:00:00.123Z' }, { rounded: 3 }],
] as const)('one event with %s is told without a sample', async (name, bend, expected) => {
  const year = 2000 + (name.length % 24)
  const moved = (event: TestEvent): TestEvent => ({
    ...event,
    timestamp: event.timestamp.replace('2025', String(year)),
  })
  const sent = [0, 1, 2].map((n) => ({
    ...makeEvent(9000 + year * 10 + n),
    event: 'bent',
    timestamp: `2025-05-01T10:00:0${n}.123456Z`,
  }))
  const dataset = join(folder, `bent-${year}`)
  await writeDataset(dataset, [{ file: `${year}-05-01.ndjson`, events: sent.map(moved) }])
  const [first, ...others] = sent as [TestEvent, ...TestEvent[]]
  const there = [...(bend ? [{ ...first, ...bend }] : []), ...others].map(moved)
  const batch = there.map(({ distinct_id, properties, ...event }) => {
    return { ...event, properties: { ...properties, distinct_id } }
  })
  await send(batch, { historical_migration: true })
  const ran = await run('verify', dataset, '--json', '--sample', '0')
  const isWhole = 'rounded' in expected
  expect([ran.code, JSON.parse(ran.stdout).events], ran.stderr).toMatchObject([
    isWhole ? 0 : 3,
    { missing: 0, unknown: 0, moved: 0, ...expected },
  ])
})

test('a dataset with the same days explains what is more there, and both together are equal', async () => {
  const days = { '2024-08-01': { signup: 2, login: 1 } }
  const [first, mended] = [join(folder, 'first'), join(folder, 'mended')]
  await countedDataset(first, days)
  const $groups = { team: 'a' }
  await countedDataset(mended, { '2024-08-02': { other: 3 }, '2024-08-01': { signup: 1 } }, { $groups })
  for (const dataset of [first, mended]) expect((await importAll(dataset)).code).toBe(0)
  const alone = await run('verify', first)
  expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining('such as mended rejects')])
  expect(alone.stderr).not.toContain('then:')
  const both = await run('verify', first, mended, `${first}/`)
  // The import of the second made an event of its own: it makes the group type.
  expect(both.stderr).toMatch(/^verify: equal: 8 events in 2 days: all are there, exactly\n/)
})

test('what else the service has on these days is told in words', async () => {
  const { stderr } = await run('verify', events)
  expect(stderr).toContain(
    '  besides: 1 other event on these days, under names that the dataset does not\n    have on that day\n',
  )
})

test('a checkpoint of another input, or one that is torn, says nothing of what was sent', async () => {
  const [file, checkpoint] = [join(folder, 'other.ndjson'), `${events}.checkpoint.json`]
  writeFileSync(file, `${eventLine({ ...makeEvent(0), timestamp: '2024-06-01T00:00:00.000000Z' })}\n`)
  const other = ['--checkpoint', join(folder, 'other.json')]
  const importing = await run('import', '--file', file, ...other)
  expect(importing.code, importing.stderr).toBe(0)
  expect((await run('verify', events, ...other)).stderr).not.toContain('would be there twice')
  for (const command of ['verify', 'undo'])
    expect(await run(command, events, '--checkpoint', join(folder, 'none.json'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no checkpoint at'),
    })

  const both = [checkpoint, previousOf(checkpoint)].map((path) => ({ path, bytes: readFileSync(path) }))
  for (const { path } of both) writeFileSync(path, '{')
  expect((await run('check', events, '--json')).stdout).toContain('"command":"check","datas')
  for (const { path, bytes } of both) writeFileSync(path, bytes)
})

test('lines of a dataset that are no events are told by check, rejected by import and missed by verify', async () => {
  const odd = join(folder, 'odd')
  const day = [0, 1, 2].map((n) => makeEvent(n, { day: 1 }))
  const none = { ...makeEvent(3, { day: 1 }), timestamp: '2024-13-01T00:00:00.000000Z' }
  await writeDataset(odd, [{ file: '2024-01-01.ndjson', events: [...day, none] }])
  const checked = await run('check', odd, '--json')
  expect(JSON.parse(checked.stdout).problems).toContainEqual(
    expect.objectContaining({ code: 'bad_lines', level: 'warning', count: 1 }),
  )
  expect(unfolded((await run('check', odd)).stdout)).toContain(
    'warning: 1 line of the dataset is no event line',
  )
  expect((await importAll(odd)).code).toBe(3)
  const ran = await run('verify', odd)
  expect([ran.code, unfolded(ran.stderr)]).toEqual([
    3,
    expect.stringContaining(
      'verify: 4 events in 1 day here, 3 in the service compared: id, person, name and time of every event, on these days alone 1 line of the dataset is no event line',
    ),
  ])
  const told = JSON.parse((await run('verify', odd, '--json')).stdout)
  expect(told).toMatchObject({ equal: false, unreadable: 1, events: { here: 4, service: 3 } })
})

test.each([
  ['a dataset that is not there', ['nowhere'], 'is no dataset: it is empty, or not there'],
  [
    'switches without files, which would change nothing',
    ['events', '--with', 'merge-dangerously'],
    '--with goes with --file',
  ],
])('%s: told without a key', async (_, [name, ...more], words) => {
  const ran = await runCommand(['verify', join(folder, name!), ...more])
  expect([ran.code, unfolded(ran.stderr)]).toEqual([2, expect.stringContaining(words)])
})

test('one uuid of two people is two events, as the service stores it: vendors reuse their ids', async () => {
  const reused = join(folder, 'reused')
  const pair = ['ann', 'ben'].map((distinct_id) => ({
    ...makeEvent(1),
    uuid: '0190c5f2-0000-4000-8000-000000000001',
    event: 'reused',
    timestamp: '2024-07-01T12:00:00.000000Z',
    distinct_id,
  }))
  await writeDataset(reused, [{ file: '2024-07-01.ndjson', events: pair }])
  await send(pair.slice(1))
  const half = await run('verify', reused)
  expect([half.code, half.stdout]).toEqual([3, expect.stringMatching(/missing {2}2024-07-01 .*ann\n$/)])
  await send(pair)
  expect((await run('verify', reused)).stderr).toMatch(/^verify: equal: 2 events in 1 day:/)
})

test.each([
  [1, 'person', { distinct_id: 'someone else' }],
  [2, 'name', { event: 'two' }],
  [3, 'day', { timestamp: '2025-03-02T12:00:00.000000Z' }],
] as const)('%i: an id that is there under another %s is not to be sent again', async (n, kind, change) => {
  const place = join(folder, `another-${kind}`)
  const event = (at: number, event: string, day: string) => {
    return { ...makeEvent(n * 10 + at), event, timestamp: `2025-0${n}-${day}T12:00:00.000000Z` }
  }
  const here = [event(1, 'one', '01'), event(2, 'two', '01'), event(3, 'one', '02')]
  await writeDataset(place, [
    { file: `2025-0${n}-01.ndjson`, events: here.slice(0, 2) },
    { file: `2025-0${n}-02.ndjson`, events: here.slice(2) },
  ])
  await send([{ ...here[0]!, ...change }, ...here.slice(1)])
  const { code, stderr } = await run('verify', place)
  const text = unfolded(stderr)
  expect([code, text]).toEqual([3, expect.stringContaining('1 is missing; 1 is there that nobody here sent')])
  expect(text).toContain('under another person, name or day: 1 of the missing events, by its id')
  for (const word of ['fewer in the service', 'more in the service', 'posthaul import'])
    expect(text).not.toContain(word)
})

test('missing events go to the file that is named, unless it is there', async () => {
  const part = await countedDataset(join(folder, 'part'), { '2024-11-01': { part: 2 } })
  const file = join(folder, 'lost.ndjson')
  const state = join(folder, 'state')
  mkdirSync(state)
  // The command that sends them must send them to the same place, and count them in the same state.
  const ran = await run('verify', part, '--missing', file, '--state', state)
  const then = `posthaul import --file ${file} --state ${state}\n`
  expect([ran.code, ran.stderr]).toEqual([3, expect.stringContaining(then)])
  expect(readFileSync(file, 'utf8')).toBe(readFileSync(join(part, '2024-11-01.ndjson'), 'utf8'))
  const again = await run('verify', part, '--missing', file)
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('--missing would write over')])
})

test('a value that another has in the service is a difference', async () => {
  const bent = await countedDataset(join(folder, 'bent'), { '2024-12-01': { bent: 2 } }, { plan: 'pro' })
  const lines = readFileSync(join(bent, '2024-12-01.ndjson'), 'utf8').trim().split('\n')
  await send(lines.map((line, n) => JSON.parse(n === 0 ? line : line.replace('"pro"', '"free"'))))
  const ran = await run('verify', bent)
  expect(ran.code).toBe(3)
  expect(ran.stdout).toMatch(
    /^changed {2}2024-12-01 .*\n {9}properties\.plan: "pro" here, "free" in the service\n$/,
  )
  expect(ran.stderr).toMatch(
    /^verify: 2 events in 1 day: all are there, exactly\n {2}compared: .*\n {2}values: 2 events compared: 1 has other values than were sent\n {4}If you sent these events again with other values, PostHog shows the old ones\n/,
  )
  expect((await run('verify', bent, '--sample', '0')).code).toBe(0)
})

describe('what the service refuses', () => {
  async function refused(pattern: RegExp, status: number, ...argv: string[]) {
    const proxy = await queryProxy(sandbox.url, (query) =>
      pattern.test(query) ? { status, detail: 'not here' } : undefined,
    )
    try {
      const env = { ...sandboxEnv(sandbox), POSTHOG_HOST: proxy.url }
      return await runCommand(argv, { env, columns: 80 })
    } finally {
      proxy.close()
    }
  }

  test('persons that can not be asked for are named, and are not taken for equal', async () => {
    const ran = await refused(/person_id/, 403, 'verify', join(folder, 'first'), join(folder, 'mended'))
    expect(ran.code).toBe(0)
    expect(unfolded(ran.stderr)).toMatch(/could not be asked: persons and groups: .*not here/)
  })

  test.each([
    [403, 4],
    [400, 2],
  ])('events that can not be asked for with %i: exit %i, and no word of equal', async (status, code) => {
    const ran = await refused(/groupBitXor/, status, 'verify', events)
    expect([ran.code, ran.stdout]).toEqual([code, ''])
    expect(ran.stderr).not.toContain('equal')
  })
})

test('import --verify wants the key for it before it sends', async () => {
  const { POSTHOG_PERSONAL_API_KEY: _, ...env } = sandboxEnv(sandbox)
  const one = await countedDataset(join(folder, 'one'), { '2024-09-01': { lonely: 1 } })
  const ran = await runCommand(['import', '--dataset', one, '--verify'], { env })
  expect([ran.code, ran.stderr]).toEqual([4, expect.stringContaining('no personal key')])
  const proven = await run('import', '--dataset', one, '--verify', '--json')
  const [imported, verified] = proven.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect([proven.code, imported.command, imported.written_now, verified.command, verified.equal]).toEqual([
    0,
    'import',
    1,
    'verify',
    true,
  ])
})
