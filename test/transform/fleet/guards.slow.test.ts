import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../src/http/secret.ts'
import { readDone, writeDone } from '../../../src/transform/fleet/done-file.ts'
import { finishFleet } from '../../../src/transform/fleet/finish-fleet.ts'
import {
  FLEET,
  fleetStore,
  frozen,
  type KnownPlan,
  writePlan,
} from '../../../src/transform/fleet/plan-file.ts'
import { runTask } from '../../../src/transform/fleet/run-task.ts'
import { fleetRequest, planFleet, runAll, taskRequest, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { seedOf } from '../../helpers/seed.ts'

const seed = seedOf('fleet guards')
let raw: string
let out: string
let work: string
let known: KnownPlan

beforeEach(async () => {
  const base = makeFolder()
  ;[raw, out, work] = [join(base, 'raw'), join(base, 'out'), join(base, 'work')]
  writeHistory(raw, seed, { files: 2, records: 40 })
  mkdirSync(work)
  known = await planFleet(fleetRequest({ in: [raw], out }), 1)
})

test('a piece whose bytes have changed is refused, with the task that wrote it', async () => {
  await runTask(taskRequest(out, 'map', 0, { work }))
  await runTask(taskRequest(out, 'generate', 0, { work }))
  const runs = join(out, FLEET, 'map/000000/runs-00')
  const bytes = readFileSync(runs)
  bytes[10]! ^= 1
  writeFileSync(runs, bytes)
  await expect(runTask(taskRequest(out, 'seal', 0, { work }))).rejects.toMatchObject({
    code: 'mismatch',
    hint: 'run the task that wrote it again: posthaul fleet run map --index 0',
  })
})

test('finish refuses sums that contradict each other', async () => {
  await runAll(out, 1, { work })
  const store = await fleetStore(out)
  const name = `seal/${readdirSync(join(out, FLEET, 'seal')).find((one) => one.startsWith('day'))}`
  const day = (await readDone<{ readonly written: number }>(store, name, known.id))!
  await writeDone(store, name, { plan: known.id, try: 'wrong' }, { ...day, written: day.written - 1 })
  await expect(finishFleet(out)).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining('the sums contradict each other'),
  })
})

test('an input that changes while it is mapped ends the task', async () => {
  const progress = () => appendFileSync(join(raw, 'part-00.ndjson'), '{}\n')
  await expect(runTask(taskRequest(out, 'map', 0, { work, progress }))).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining('part-00.ndjson'),
  })
})

test('a seal task whose parts are gone is not done, whatever its result says', async () => {
  await runAll(out, 1, { work })
  const part = readdirSync(out).find((name) => name.startsWith('2023-'))!
  const bytes = readFileSync(join(out, part))
  rmSync(join(out, part))
  expect(await runTask(taskRequest(out, 'seal', 0, { work }))).toBe('done')
  expect(bytes.equals(readFileSync(join(out, part)))).toBe(true)
})

test('a task of other rules than those of the plan does not begin', async () => {
  const { plan } = known
  await writePlan(
    await fleetStore(out),
    frozen({ ...plan, job: { ...plan.job, rules: `${plan.job.rules}0` } }),
  )
  await expect(runTask(taskRequest(out, 'map', 0, { work }))).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining('the plan is by the rules'),
  })
})

test("a task of another version than the plan's does not begin", async () => {
  await writePlan(await fleetStore(out), frozen({ ...known.plan, tool: 'posthaul 0.0.1' }))
  await expect(runTask(taskRequest(out, 'map', 0, { work }))).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining('posthaul 0.0.1 made the plan'),
  })
})

test("a task with another key of hashes than the plan's does not begin: a person would have two ids", async () => {
  const map = join(out, '..', 'mapping.yaml')
  writeFileSync(map, 'properties:\n  hash: [distinct_id]\n')
  const key = (text: string) => async () => new Secret(text.repeat(20), 'a test')
  const hashed = join(out, '..', 'hashed')
  await planFleet(fleetRequest({ in: [raw], out: hashed, map, hashKey: key('a') }), 1)
  const run = (text: string) => runTask(taskRequest(hashed, 'map', 0, { work, hashKey: key(text) }))
  await expect(run('b')).rejects.toMatchObject({
    code: 'mismatch',
    message: 'the key of hashes is not the one that the plan was made with',
  })
  expect(await run('a')).toBe('done')
})

test('finish names the task of which a file is cut, though no stage reads it any more', async () => {
  await runAll(out, 1, { work })
  const runs = join(out, FLEET, 'map/000000/runs-00')
  writeFileSync(runs, readFileSync(runs).subarray(1))
  await expect(finishFleet(out)).rejects.toMatchObject({
    code: 'paused',
    lines: ['posthaul fleet run map --index 0'],
  })
})

test('a part that was cut is no part: its day is sealed again', async () => {
  await runAll(out, 1, { work })
  const part = join(out, readdirSync(out).find((name) => name.startsWith('2023-'))!)
  const bytes = readFileSync(part)
  writeFileSync(part, bytes.subarray(1))
  await expect(finishFleet(out)).rejects.toMatchObject({
    code: 'paused',
    lines: ['posthaul fleet run seal --index 0'],
  })
  expect(await runTask(taskRequest(out, 'seal', 0, { work }))).toBe('done')
  expect(bytes.equals(readFileSync(part))).toBe(true)
})

test('what is finished has no task left, and is not finished once its manifest is gone', async () => {
  await runAll(out, 1, { work })
  await finishFleet(out)
  const files = () => readdirSync(out, { recursive: true, encoding: 'utf8' }).sort()
  const before = files()
  expect(await runTask(taskRequest(out, 'map', 0, { work }))).toBe('known')
  expect(files()).toEqual(before)
  expect(await finishFleet(out)).toMatchObject({ before: true })
  rmSync(join(out, 'manifest.json'))
  await expect(finishFleet(out)).rejects.toMatchObject({ code: 'paused' })
})
