import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { fleetStore, taskName } from '../../src/transform/fleet/plan-file.ts'
import { Try } from '../../src/transform/fleet/tries.ts'
import { runHosted } from '../helpers/command-host.ts'
import { writeHistory } from '../helpers/fleet.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/seed.ts'
import { unfolded } from '../helpers/unfolded.ts'

const raw = join(makeFolder(), 'raw')
beforeAll(() => writeHistory(raw, seedOf('fleet plan')))

const planned = (out: string, ...more: string[]) =>
  runHosted(['fleet', 'plan', '--preset', 'mixpanel', '--in', raw, '--out', out, ...more])
const planIn = (out: string) => readFileSync(join(out, '.posthaul-fleet/plan.json'), 'utf8')

test('a plan says first what the import takes, then all else, and how to go on', async () => {
  const out = join(testFolder(), 'events')
  const ended = await planned(out, '--tasks', '3')
  expect(ended.code, ended.stderr).toBe(0)
  expect(ended.stderr).toMatch(/^fleet plan: 1,\d{3} events, whose import takes \d+ s\n/)
  expect(ended.stderr).toContain(`posthaul fleet run map --out ${out} --index 0`)
  const narrow = ended.stderr.split('\n').filter((line) => !line.includes(out))
  expect(narrow.filter((line) => line.length > 80)).toEqual([])
  expect(readdirSync(out)).toEqual(['.posthaul-fleet'])
})

test('the same plan again keeps what is there; another one is refused, but with --restart', async () => {
  const out = join(testFolder(), 'events')
  await planned(out, '--tasks', '2')
  const first = planIn(out)
  const run = await runHosted(['fleet', 'run', 'map', '--out', out, '--index', '0'])
  expect(run.code, run.stderr).toBe(0)
  const again = await planned(out, '--tasks', '2', '--json')
  expect(JSON.parse(again.stdout)).toMatchObject({ version: 1, command: 'fleet plan', kept: true, tasks: 2 })
  const other = await planned(out, '--tasks', '3')
  expect([other.code, unfolded(other.stderr)]).toEqual([
    6,
    expect.stringContaining('it is of other numbers of tasks (2, now 3)'),
  ])
  expect(other.stderr).toContain('--restart')
  const gzip = await planned(out, '--tasks', '2', '--gzip')
  expect([gzip.code, unfolded(gzip.stderr)]).toEqual([6, expect.stringContaining('of other settings')])
  expect(planIn(out)).toBe(first)
  expect(existsSync(join(out, '.posthaul-fleet/map/000000.done'))).toBe(true)
  expect((await planned(out, '--tasks', '3', '--restart')).code).toBe(0)
  expect(JSON.parse(planIn(out)).plan.tasks).toBe(3)
  expect(existsSync(join(out, '.posthaul-fleet/map/000000.done'))).toBe(false)
})

test('a fleet and a transform of one machine do not share a place', async () => {
  const out = join(testFolder(), 'events')
  await planned(out)
  const local = ['transform', '--preset', 'mixpanel', '--in', raw, '--out', out]
  const refused = await runHosted(local)
  expect([refused.code, unfolded(refused.stderr)]).toEqual([
    2,
    expect.stringContaining('has the plan of a fleet that is not finished'),
  ])
  rmSync(join(out, '.posthaul-fleet'), { recursive: true })
  expect((await runHosted(local)).code).toBe(3)
  // The dataset of the same source may be planned anew: its manifest goes first.
  expect((await planned(out)).code).toBe(0)
  expect(existsSync(join(out, 'manifest.json'))).toBe(false)
})

test('what takes one machine, and a place among the inputs, are refused before anything is written', async () => {
  const out = join(testFolder(), 'events')
  const argv = ['fleet', 'plan', '--preset', 'mixpanel', '--in', raw, '--out']
  const inside = await runHosted([...argv, raw])
  expect([inside.code, unfolded(inside.stderr)]).toEqual([
    2,
    expect.stringContaining('which is the folder of the inputs'),
  ])
  expect([existsSync(out), readdirSync(raw).includes('.posthaul-fleet')]).toEqual([false, false])
})

test('a plan with people to forget has the stages that find them, and is kept while their list is the same', async () => {
  const folder = testFolder()
  const [map, list, out] = ['mapping.yaml', 'gone.txt', 'events'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(list, 'user-1\n')
  writeFileSync(map, 'preset: mixpanel\nforget: gone.txt\n')
  const way = ['fleet', 'plan', '--map', map, '--in', raw, '--out', out, '--tasks', '2']
  const first = await runHosted(way)
  expect(first.code, first.stderr).toBe(0)
  expect(first.stderr).toContain('  stages    links, people, map, generate, seal\n')
  expect(first.stderr).toContain(`posthaul fleet run links --out ${out} --index 0`)
  const { task_needs, kept } = JSON.parse((await runHosted([...way, '--json'])).stdout)
  expect([Object.keys(task_needs), kept]).toEqual([['links', 'people', 'map', 'generate', 'seal'], true])
  // A stage that the plan has not ends at once, so that one job file does for all plans.
  const none = await runHosted(['fleet', 'run', 'rows', '--out', out, '--index', '0'])
  expect([none.code, none.stderr]).toEqual([0, expect.stringContaining('the plan has no such stage')])
  const early = await runHosted(['fleet', 'run', 'map', '--out', out, '--index', '0'])
  expect([early.code, unfolded(early.stderr)]).toEqual([
    5,
    expect.stringContaining('tasks of people are not done'),
  ])
  writeFileSync(list, 'user-1\nuser-2\n')
  const other = await runHosted(way)
  expect([other.code, unfolded(other.stderr)]).toEqual([6, expect.stringContaining('of other settings')])
})

test('status counts tasks, tells what failed and what dead tries left, and exits 3 where a person is needed', async () => {
  const out = join(testFolder(), 'events')
  await planned(out, '--tasks', '3')
  await runHosted(['fleet', 'run', 'map', '--out', out, '--index', '0'])
  const store = await fleetStore(out)
  const { id } = JSON.parse(planIn(out))
  await (await Try.begin(store, { plan: id, stage: 'map', index: 1, of: 100 })).failed(
    new PosthaulError('the file\u001b[2J changed', { code: 'mismatch', hint: 'plan anew' }),
  )
  await store.put(`${taskName('map', 1)}/runs-00`, Buffer.from('half'))
  const ended = await runHosted(['fleet', 'status', '--out', out])
  expect(ended.code, ended.stderr).toBe(3)
  expect(ended.stdout).toMatch(/map +1 +0 +1 +0 +1 +\?\n/)
  expect(ended.stdout).toContain('failed    map 1, 1 try, exit 6, another try would fail too: the file')
  expect(ended.stdout).not.toContain('\u001b')
  expect(ended.stdout).toContain('leftovers 1 file (4 B) of dead tries')
  expect(ended.stdout).toContain(`posthaul fleet run map --out ${out} --index 1`)
  const { stdout } = await runHosted(['fleet', 'status', '--out', out, '--json'])
  expect(JSON.parse(stdout)).toMatchObject({
    command: 'fleet status',
    finished: false,
    stages: { map: { done: 1, failed_for_good: 1, waiting: 1, slowest_done: { index: 0 } } },
    leftovers: { files: 1, bytes: 4, unfinished: 0 },
  })
  const nowhere = await runHosted(['fleet', 'status', '--out', join(out, 'none')])
  expect([nowhere.code, unfolded(nowhere.stderr)]).toEqual([2, expect.stringContaining('no plan of a fleet')])
})
