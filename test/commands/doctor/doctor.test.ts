import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { countedDataset } from '../../helpers/counted-dataset.ts'
import { testFolder } from '../../helpers/folder.ts'
import { fileSandbox, sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { withoutLog } from '../../helpers/screen.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const sandbox = await fileSandbox()

test('with nothing set it says what is not, and ends well', async () => {
  const ran = await runCommand(['doctor'])
  expect([ran.code, withoutLog(ran.stderr)]).toEqual([0, ''])
  expect(ran.stdout.split('\n').filter((line) => line.length > 80)).toEqual([])
  for (const words of ['no project key is set', 'no address of the service'])
    expect(ran.stdout).toContain(words)
})

test('a dataset that is ready, as text and as JSON', async () => {
  const dataset = join(testFolder(), 'events')
  await countedDataset(dataset, { '2024-03-01': { $pageview: 40 } })
  const env = sandboxEnv(sandbox)
  const text = await runCommand(['doctor', '--dataset', dataset], { env })
  expect([text.code, withoutLog(text.stderr)]).toEqual([0, ''])
  expect(unfolded(text.stdout)).toContain('events can be read')
  const { stdout } = await runCommand(['doctor', '--dataset', dataset, '--json'], { env })
  const report = JSON.parse(stdout)
  expect(report).toMatchObject({ version: 1, command: 'doctor', ready: true, counts: { error: 0 } })
  expect(Object.keys(report.findings[0])).toEqual(
    expect.arrayContaining(['code', 'level', 'text', 'cause', 'remedy']),
  )
})

test('an error exits 3, with its cause and its remedy, and shows no key', async () => {
  const env = { ...sandboxEnv(sandbox), POSTHOG_PROJECT_API_KEY: 'phc_of_another_project' }
  const ran = await runCommand(['doctor'], { env })
  expect(ran.code).toBe(3)
  expect(unfolded(ran.stdout)).toMatch(
    /error +project +the project key is not that of "Sandbox" \(1\) .*> take/,
  )
  expect(withoutLog(ran.stderr)).toBe('  mend the errors, then: posthaul doctor\n')
  expect(ran.stdout).not.toContain('phc_of')
})

test('a migration file says it all, and an option beside it is refused', async () => {
  const folder = testFolder()
  writeFileSync(join(folder, 'a.ndjson'), '{"event":"a","properties":{"distinct_id":"u"}}\n')
  const file = join(folder, 'migration.yaml')
  const said = { source: { files: ['a.ndjson'] }, mapping: { preset: 'posthog' }, store: 'store' }
  const target = { host: sandbox.url, ingest_host: sandbox.url }
  writeFileSync(file, JSON.stringify({ ...said, target }))
  const { POSTHOG_HOST: _, POSTHOG_INGEST_HOST: __, ...env } = sandboxEnv(sandbox)
  const ran = await runCommand(['doctor', file], { env })
  expect(ran.code).toBe(0)
  const text = unfolded(ran.stdout)
  expect(text).toContain(`(target.ingest_host in ${file})`)
  expect(text).toContain('the store:')
  const both = await runCommand(['doctor', file, '--out', 'x'], { env })
  expect([both.code, both.stdout]).toEqual([2, ''])
  expect(withoutLog(both.stderr)).toContain('--out and a migration file both say')
})

test('what stands against a dataset is found by its name, and by a migration file in whose store it is', async () => {
  const folder = testFolder()
  const file = join(folder, 'migration.yaml')
  const target = { host: sandbox.url, ingest_host: sandbox.url }
  const source = { source: { files: ['a.ndjson'] }, mapping: { preset: 'posthog' } }
  writeFileSync(file, JSON.stringify({ ...source, target, store: 'store' }))
  writeFileSync(join(folder, 'a.ndjson'), '')
  const six = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((type) => [type, 'x']))
  const dataset = join(folder, 'store', 'events', 'files')
  await countedDataset(dataset, { '2024-03-01': { $pageview: 4 } }, { $groups: six })
  const text = 'a project has room for 5: a, b, c, d, e, f'
  for (const [argv, where] of [
    [[file], 'events/files: 6 group types'],
    [['--dataset', dataset], '6 group types'],
  ] as const) {
    const ran = await runCommand(['doctor', ...argv, '--json'], { env: sandboxEnv(sandbox) })
    expect(ran.code).toBe(3)
    const { findings } = JSON.parse(ran.stdout)
    expect(findings.find(({ code }: { code: string }) => code === 'group_types')).toMatchObject({
      level: 'error',
      text: expect.stringMatching(`^${where}, but ${text}`),
    })
  }
})

test('what the project drops of the datasets of a migration file is told with their names', async () => {
  const tree = { type: 'condition', field: 'event_name', operator: 'exact', value: 'left' } as const
  const live = await testSandbox({ eventRules: { filter: { mode: 'live', filter_tree: tree } } })
  const folder = testFolder()
  const file = join(folder, 'migration.yaml')
  const target = { host: live.url, ingest_host: live.url }
  const source = { source: { files: ['a.ndjson'] }, mapping: { preset: 'posthog' } }
  writeFileSync(file, JSON.stringify({ ...source, target, store: 'store' }))
  writeFileSync(join(folder, 'a.ndjson'), '')
  for (const [name, event] of Object.entries({ first: 'left', second: 'paid' }))
    await countedDataset(join(folder, 'store', 'events', name), { '2024-03-01': { [event]: 4 } })
  const ran = await runCommand(['doctor', file, '--json'], { env: sandboxEnv(live) })
  expect(ran.code).toBe(3)
  const { findings } = JSON.parse(ran.stdout)
  const codes = (wanted: string) => findings.filter(({ code }: { code: string }) => code === wanted)
  expect(codes('filtered_events')).toMatchObject([
    {
      level: 'error',
      count: 4,
      names: ['left'],
      text: expect.stringMatching(/^events\/first: the project's/),
    },
  ])
})
