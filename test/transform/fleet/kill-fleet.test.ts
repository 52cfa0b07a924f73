import { mkdirSync, readdirSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openStore } from '../../../src/store/open.ts'
import { type FaultPlan, suffering } from '../../faults/kit/plan.ts'
import { runCli } from '../../helpers/cli-process.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { datasetIn, fleetRequest, planFleet, writeCalls, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder, testFolder } from '../../helpers/folder.ts'
import { GATHERED, type GatheredHistory } from '../../helpers/gathered-histories.ts'
import { kills } from '../../helpers/kills.ts'
import { seeded } from '../../helpers/random.ts'
import { ForeignS3 } from '../../helpers/s3rver.ts'
import { seedOf } from '../../helpers/seed.ts'

const seed = seedOf('fleet kills')
const random = seeded(seed)
const TASKS = 3

/** Points at which a task is killed: where bytes go to the disk or the network, and where files come to their names. */
const POINTS = ['write', 'rename', 'send']

/** Runs a task in a process of its own, as a scheduler does. */
function task(
  out: string,
  stage: string,
  index: number,
  work: string,
  env: Record<string, string> = {},
  plan?: FaultPlan,
) {
  const argv = ['fleet', 'run', stage, '--out', out, '--index', String(index), '--work-dir', work]
  return runCli(argv, { ...env, ...(plan && suffering(plan)) })
}

/** The exit code of a task that nothing disturbs. */
async function ended(out: string, stage: string, index: number, work: string, env: Record<string, string>) {
  const argv = ['fleet', 'run', stage, '--out', out, '--index', String(index), '--work-dir', work]
  return (await runHosted(argv, env)).code
}

/** Kills a task at points of a run of its own until it was killed `wanted` times, then lets it end. */
async function killed(
  out: string,
  stage: string,
  index: number,
  work: string,
  env: Record<string, string>,
  wanted: number,
) {
  let times = 0
  for (let attempt = 0; attempt < 3 * wanted && times < wanted; attempt++) {
    const point = POINTS[Math.floor(random() * POINTS.length)]!
    const kill = {
      point,
      nth: 1 + Math.floor(random() * 12),
      when: random() < 0.5 ? 'before' : 'after',
    } as const
    const { code, signal, stderr } = await task(out, stage, index, work, env, { kill })
    if (signal === null) expect(code, stderr).toBe(0)
    else times++
  }
  expect(await ended(out, stage, index, work, env)).toBe(0)
  return times
}

/** Calls of people and groups; its plan has no stage before map. */
const CALLS: GatheredHistory = {
  name: 'calls',
  stages: [],
  write(folder) {
    writeCalls(join(folder, 'raw'), seed)
    return ['--preset', 'segment', '--in', join(folder, 'raw')]
  },
}
/** Its plan has all stages. */
const GATHERING = GATHERED.at(-1)!

const BUCKET = 'a bucket of a server that keeps no conditions'
const ALL = [
  [BUCKET, CALLS],
  ['a folder', GATHERING],
  ['a folder', CALLS],
] as const
const PLACES = ALL.slice(0, kills({ few: 2, many: 3 }))

describe.each(PLACES)('in %s', (place, { name, stages, write }) => {
  const base = makeFolder()
  let way: string[]
  let local: Record<string, string>
  beforeAll(async () => {
    way = write(base, seed)
    const out = join(base, 'local')
    const ended = await runHosted(['transform', ...way, '--out', out])
    expect(ended.code, ended.stderr).toBe(0)
    local = datasetIn(out)
  })

  test(`${name}: tasks that are killed anywhere, and tasks that run twice at once, make the dataset of one machine`, async () => {
    const { out, env, dataset } = await placeFor(place)
    const work = join(testFolder(), 'work')
    mkdirSync(work)
    const planned = await runHosted(['fleet', 'plan', ...way, '--out', out, '--tasks', String(TASKS)], env)
    expect(planned.code, planned.stderr).toBe(0)
    let times = 0
    for (const stage of [...stages, 'map', 'generate', 'seal']) {
      // One task is killed, one runs twice at once, one runs as it should.
      times += await killed(out, stage, 0, work, env, kills({ few: 1, many: 15 }))
      const twice = await Promise.all([task(out, stage, 1, work, env), ended(out, stage, 1, work, env)])
      expect([twice[0].code, twice[1]], twice[0].stderr).toEqual([0, 0])
      const open = await runHosted(['fleet', 'finish', '--out', out], env)
      expect(open.code, open.stderr).toBe(5)
      expect(await ended(out, stage, 2, work, env)).toBe(0)
    }
    expect(times).toBeGreaterThan(0)
    const finished = await runHosted(['fleet', 'finish', '--out', out], env)
    expect(finished.code, finished.stderr).toBe(0)
    expect(await dataset()).toEqual(local)
    // The folders of killed tries are removed by the next one.
    expect(readdirSync(work).length).toBeLessThanOrEqual(1)
  })
})

test('a stage does not begin before the one before it has ended, nor by another rule, input or plan', async () => {
  const folder = testFolder()
  const [work, out, from] = [join(folder, 'work'), join(folder, 'out'), join(folder, 'raw')]
  mkdirSync(work)
  writeHistory(from, seed, { files: 2, records: 20 })
  await planFleet(fleetRequest({ in: [from], out }), 2)
  const run = (stage: string, index: number) =>
    runHosted(['fleet', 'run', stage, '--out', out, '--index', String(index), '--work-dir', work])
  const early = await run('seal', 0)
  expect([early.code, early.stderr]).toEqual([5, expect.stringContaining('are not done')])
  expect((await run('map', 2)).code).toBe(2)
  writeHistory(from, seed + 1, { files: 2, records: 21 })
  const other = await run('map', 0)
  expect([other.code, other.stderr]).toEqual([6, expect.stringContaining('when it was listed')])
})

/** Somewhere for a dataset, what reaches it, and what is in it at the end. */
async function placeFor(place: string) {
  const folder = join(testFolder(), 'out')
  if (place === 'a folder') {
    return { out: folder, env: {}, dataset: async () => datasetIn(folder) }
  }
  const s3 = await new ForeignS3().start()
  onTestFinished(() => s3.close())
  Object.assign(process.env, s3.env)
  onTestFinished(() => {
    for (const name of Object.keys(s3.env)) delete process.env[name]
  })
  const out = s3.location('events')
  const dataset = async () => {
    const store = await openStore(out)
    mkdirSync(folder)
    for (const { name } of await store.list()) await writeFile(join(folder, name), store.read(name))
    return datasetIn(folder)
  }
  return { out, env: s3.env, dataset }
}
