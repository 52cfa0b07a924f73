import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { beforeAll, expect, test } from 'vitest'
import { STAGES, type Stage } from '../../../src/text/fleet-stages.ts'
import { readDone, type TaskDone, writeDone } from '../../../src/transform/fleet/done-file.ts'
import { finishFleet } from '../../../src/transform/fleet/finish-fleet.ts'
import type { MapDone } from '../../../src/transform/fleet/map-task.ts'
import type { LinksDone } from '../../../src/transform/fleet/people-task.ts'
import { loadPiece } from '../../../src/transform/fleet/pieces.ts'
import { doneName, FLEET, fleetStore, type KnownPlan } from '../../../src/transform/fleet/plan-file.ts'
import type { RowsDone } from '../../../src/transform/fleet/rows-task.ts'
import { runTask } from '../../../src/transform/fleet/run-task.ts'
import { fleetRequest, planFleet, runAll, taskRequest } from '../../helpers/fleet.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { GATHERED } from '../../helpers/gathered-histories.ts'
import { seedOf } from '../../helpers/seed.ts'

const TASKS = 3
const base = makeFolder()
const [out, work] = [join(base, 'out'), join(base, 'work')]
const fleet = join(out, FLEET)
let known: KnownPlan

beforeAll(async () => {
  // It has all stages.
  const way = GATHERED.at(-1)!.write(base, seedOf('fleet misplaced'))
  mkdirSync(work)
  const values = (flag: string) => way.filter((_, at) => way[at - 1] === flag)
  const [preset, map] = ['--preset', '--map'].map((flag) => values(flag)[0])
  const request = { preset, map, in: values('--in'), join: values('--join'), out }
  known = await planFleet(fleetRequest(request), TASKS)
  await runAll(out, TASKS, { work })
})

/** Copies a result to the place of another one while `act` is called. */
async function misplaced(from: string, to: string, act: () => Promise<void>): Promise<void> {
  const kept = readFileSync(join(fleet, to))
  copyFileSync(join(fleet, from), join(fleet, to))
  await act()
  writeFileSync(join(fleet, to), kept)
}

const refusal = (from: string) => ({
  code: 'mismatch',
  message: expect.stringMatching(new RegExp(`was written by the try \\S+ as ${from}, not here`)),
})

test.each(STAGES)('the result of another task of %s is refused', async (stage) => {
  const [from, to] = [doneName(stage, 1), doneName(stage, 0)]
  await misplaced(from, to, async () => {
    await expect(finishFleet(out)).rejects.toMatchObject(refusal(from))
    await expect(runTask(taskRequest(out, stage, 0, { work }))).rejects.toMatchObject(refusal(from))
  })
})

test('the result of another day is refused', async () => {
  const days = readdirSync(join(fleet, 'seal')).filter((name) => name.startsWith('day'))
  const [from, to] = [`seal/${days[1]}`, `seal/${days[0]}`]
  await misplaced(from, to, async () => {
    await expect(finishFleet(out)).rejects.toMatchObject(refusal(from))
  })
})

/** Replaces a result while finish is to refuse it. */
async function refused<T>(
  stage: Stage,
  bent: (done: TaskDone<T>) => unknown,
  message: string,
): Promise<void> {
  const store = await fleetStore(out)
  const name = doneName(stage, 0)
  const kept = readFileSync(join(fleet, name))
  const done = (await readDone<TaskDone<T>>(store, name, known.id))!
  await writeDone(store, name, { plan: known.id, try: 'wrong' }, await bent(done))
  const refusal = { code: 'mismatch', message: expect.stringContaining(message) }
  await expect(finishFleet(out)).rejects.toMatchObject(refusal)
  writeFileSync(join(fleet, name), kept)
}

test('a task of links that passed over a record is told from the sums', async () => {
  const less = (done: TaskDone<LinksDone>) => ({ ...done, made: { ...done.made, read: done.made.read - 1 } })
  await refused('links', less, 'the tasks that gather read')
})

test('a task of rows that passed over a record is told from the sums', async () => {
  const less = ({ made, ...done }: TaskDone<RowsDone>) => {
    const tables = made.tables.map((table) => ({ ...table, rows: table.rows - 1 }))
    return { ...done, made: { tables } }
  }
  await refused('rows', less, 'the tasks that gather read')
})

test('a task of map that had another table is told from the others', async () => {
  const other = async ({ made, files }: TaskDone<MapDone>) => {
    const store = await fleetStore(out)
    const counts = JSON.parse((await loadPiece(store, made.counts)).toString('utf8'))
    const bytes = Buffer.from(JSON.stringify({ ...counts, tables: ['of another run'] }))
    const piece = { file: 'map/000000/other-counts', offset: 0, bytes: bytes.length, crc: crc32(bytes) }
    await store.put(piece.file, bytes)
    return { files, made: { ...made, counts: piece } }
  }
  await refused('map', other, 'had different tables of records')
})

test('a task that counted the units of another one is told from the sums', async () => {
  const store = await fleetStore(out)
  const [own, other] = [doneName('map', 0), doneName('map', 1)]
  const kept = readFileSync(join(fleet, own))
  const wrong = await readDone(store, other, known.id)
  await writeDone(store, own, { plan: known.id, try: 'wrong' }, wrong)
  await expect(finishFleet(out)).rejects.toMatchObject({
    code: 'mismatch',
    message: expect.stringContaining('the tasks did not read what the plan has'),
  })
  writeFileSync(join(fleet, own), kept)
  expect((await finishFleet(out)).before).toBe(false)
})
