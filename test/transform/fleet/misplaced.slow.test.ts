import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { STAGES } from '../../../src/text/fleet-stages.ts'
import { readDone, writeDone } from '../../../src/transform/fleet/done-file.ts'
import { finishFleet } from '../../../src/transform/fleet/finish-fleet.ts'
import { doneName, FLEET, fleetStore } from '../../../src/transform/fleet/fleet-files.ts'
import type { KnownPlan } from '../../../src/transform/fleet/plan-file.ts'
import { runTask } from '../../../src/transform/fleet/run-task.ts'
import { fleetRequest, planFleet, runAll, taskRequest, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { seedOf } from '../../helpers/seed.ts'

const TASKS = 3
const base = makeFolder()
const [raw, out, work] = [join(base, 'raw'), join(base, 'out'), join(base, 'work')]
const fleet = join(out, FLEET)
let known: KnownPlan

beforeAll(async () => {
  writeHistory(raw, seedOf('fleet misplaced'), { records: 100 })
  mkdirSync(work)
  known = await planFleet(fleetRequest({ in: [raw], out }), TASKS)
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
