import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { runCommand } from '../helpers/command.ts'
import { countedDataset } from '../helpers/counted-dataset.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

let folder: string
let sandbox: Sandbox
let events: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'posthaul-verify-'))
  sandbox = await startSandbox({ timeZone: 'Pacific/Auckland' })
  events = await countedDataset(join(folder, 'events'), {
    '2024-03-01': { $pageview: 12, signup: 2 },
    '2024-03-02': { $pageview: 5 },
    '2024-05-02': { signup: 1 },
  })
})
afterAll(async () => {
  await sandbox.close()
  await rm(folder, { recursive: true })
})

function run(...argv: string[]) {
  const env = sandboxEnv(sandbox)
  return runCommand(argv, { env, columns: 80 })
}

test('before the import: everything differs, exit 3', async () => {
  const ran = await run('verify', events)
  expect(ran.code).toBe(3)
  const text = `${ran.stdout}${ran.stderr}`.replaceAll(events, 'events')
  await expect(text).toMatchFileSnapshot('../golden/verify-nothing-there.txt')
})

test('after it: equal, exit 0, though some was sent twice', async () => {
  const imported = await run(
    'import',
    '--dataset',
    events,
    '--approved',
    '--max-events-per-minute',
    '1000000',
  )
  expect(imported.code).toBe(0)
  await run('import', '--dataset', events, '--restart', '--approved', '--max-events-per-minute', '1000000')
  const ran = await run('verify', events)
  expect(ran.stderr).toBe('verify: equal: 20 events in 3 days here, 20 in the service\n')
  expect([ran.code, ran.stdout]).toEqual([0, ''])
})

test('live events of the same days: more there, and others beside', async () => {
  const batch = ['signup', 'signup', 'live'].map((event) => ({
    event,
    timestamp: '2024-03-01T12:00:00Z',
    properties: { distinct_id: 'someone' },
  }))
  const body = JSON.stringify({ api_key: sandbox.projectKey, batch })
  await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
  const ran = await run('verify', events, '--json')
  expect(ran.code).toBe(3)
  expect(JSON.parse(ran.stdout)).toEqual({
    version: 1,
    command: 'verify',
    datasets: [events],
    equal: false,
    days: 3,
    events: { here: 20, service: 22, others: 1 },
    differences: [{ day: '2024-03-01', event: 'signup', here: 2, service: 4 }],
  })
})

test('a dataset with the same days explains what is more there, and both together are equal', async () => {
  const days = { '2024-08-01': { signup: 2, login: 1 } }
  const [first, mended] = [join(folder, 'first'), join(folder, 'mended')]
  await countedDataset(first, days)
  await countedDataset(mended, { '2024-08-02': { other: 3 }, '2024-08-01': { signup: 1 } })
  for (const dataset of [first, mended]) {
    const fast = ['--approved', '--max-events-per-minute', '1000000']
    expect((await run('import', '--dataset', dataset, ...fast)).code).toBe(0)
  }
  const alone = await run('verify', first)
  expect([alone.code, alone.stderr]).toEqual([3, expect.stringContaining('such as mended rejects')])
  expect(alone.stderr).not.toContain('then:')
  const both = await run('verify', first, mended, `${first}/`)
  expect(both.stderr).toBe('verify: equal: 7 events in 2 days here, 7 in the service\n')
})

test('what else the service has on these days is told in words', async () => {
  const { stderr } = await run('verify', events)
  expect(stderr).toContain(
    '  besides: 1 other event on these days, under names that the dataset does not\n    have on that day\n',
  )
})

test('one event is one event', async () => {
  const one = await countedDataset(join(folder, 'one'), { '2024-09-01': { lonely: 1 } })
  expect((await run('verify', one)).stderr).toMatch(/\n {2}1 event in 1 day here, 0 in the service\n/)
})

test('no dataset there: told without a key', async () => {
  const ran = await runCommand(['verify', join(folder, 'nowhere')])
  expect([ran.code, unfolded(ran.stderr)]).toEqual([2, expect.stringContaining('is no finished dataset')])
})

test('one uuid of two people is two events, as the service stores it: vendors reuse their ids', async () => {
  const reused = await countedDataset(join(folder, 'reused'), { '2024-07-01': { reused: 2 } })
  const batch = ['ann', 'ben'].map((person) => ({
    uuid: '0190c5f2-0000-4000-8000-000000000001',
    event: 'reused',
    timestamp: '2024-07-01T12:00:00Z',
    properties: { distinct_id: person },
  }))
  const body = JSON.stringify({ api_key: sandbox.projectKey, batch })
  await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
  const ran = await run('verify', reused)
  expect([ran.code, ran.stderr]).toEqual([0, 'verify: equal: 2 events in 1 day here, 2 in the service\n'])
})

test('switches without files are refused: they would change nothing', async () => {
  const ran = await run('verify', events, '--with', 'merge-dangerously')
  expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('--with goes with --file') })
})
