import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { finishFleet } from '../../../src/transform/fleet/finish-fleet.ts'
import { FINISHED, FLEET } from '../../../src/transform/fleet/plan-file.ts'
import { runTask } from '../../../src/transform/fleet/run-task.ts'
import { testBucket } from '../../helpers/bucket.ts'
import { fleetRequest, planFleet, runAll, taskRequest, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { seedOf } from '../../helpers/seed.ts'

const base = makeFolder()
const [raw, work] = [join(base, 'raw'), join(base, 'work')]
const server = testBucket({ pageSize: 100 })

beforeAll(() => {
  writeHistory(raw, seedOf('fleet leftovers'), { files: 2, records: 40 })
  mkdirSync(work)
})

test('finish removes drafts that tries left a moment ago', async () => {
  const out = join(base, 'events')
  await planFleet(fleetRequest({ in: [raw], out }), 2)
  await runAll(out, 2, { work })
  const drafts = ['.2023-01-30.ndjson.1a2b3c4d.tmp', `${FLEET}/map/000000/.runs-00.1a2b3c4d.tmp`]
  for (const draft of drafts) writeFileSync(join(out, draft), 'cut')
  await finishFleet(out)
  const left = readdirSync(out, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tmp'))
  expect(left).toEqual([])
})

test('finish ends uploads that tries left a moment ago', async () => {
  const out = server.location('events')
  await planFleet(fleetRequest({ in: [raw], out }), 2)
  await runAll(out, 2, { work })
  for (const [id, name] of Object.entries({ a: '2023-01-30.ndjson', b: `${FLEET}/map/000000/runs-00` }))
    server.uploads.set(id, { key: `events/${name}`, parts: new Map(), begun: new Date() })
  await finishFleet(out)
  expect([...server.uploads.keys()]).toEqual([])
})

test('a try whose files finish has removed ends well: its task was done by another one', async () => {
  const out = join(base, 'twice')
  await planFleet(fleetRequest({ in: [raw], out }), 1)
  await runTask(taskRequest(out, 'map', 0, { work }))
  await runTask(taskRequest(out, 'generate', 0, { work }))
  const progress = () => {
    writeFileSync(join(out, FLEET, FINISHED), '{}\n')
    throw new Error('the file is gone')
  }
  expect(await runTask(taskRequest(out, 'seal', 0, { work, progress }))).toBe('known')
})
