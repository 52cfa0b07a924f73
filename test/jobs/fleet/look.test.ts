import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { lookAtFleet } from '../../../src/jobs/fleet/look.ts'
import { doneName, fleetStore, tryName } from '../../../src/transform/fleet/plan-file.ts'
import { Try } from '../../../src/transform/fleet/tries.ts'
import { testBucket } from '../../helpers/bucket.ts'
import { fleetRequest, planFleet, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { seedOf } from '../../helpers/seed.ts'

const server = testBucket({ pageSize: 1000 })
const raw = join(makeFolder(), 'raw')

beforeAll(() => {
  writeHistory(raw, seedOf('fleet look'), { files: 1, records: 20 })
})

test('a look takes a listing and a request for each try of an open task, not one for each task that is done', async () => {
  const out = server.location('events')
  const { id } = await planFleet(fleetRequest({ in: [raw], out }), 200)
  const store = await fleetStore(out)
  for (let index = 0; index < 198; index++) {
    await store.put(doneName('map', index), Buffer.from('{}'))
    // Each was done at the second try.
    const tail = String(index).padStart(8, '0')
    for (const id of [`20240301T090000-${tail}.failed.5`, `20240301T100000-${tail}.done.${index}`])
      await store.put(tryName('map', index, id), Buffer.from('{}'))
  }
  const running = await Try.begin(store, { plan: id, stage: 'map', index: 198, of: 1000 })
  const before = server.requests
  const { stages, finished } = (await lookAtFleet({ out, endpoint: undefined }, Date.now())).result
  const taken = server.requests - before
  expect(stages.map).toMatchObject({
    done: 198,
    running: 1,
    waiting: 1,
    slowest_done: { index: 197, seconds: 197 },
  })
  expect(finished).toBe(false)
  // The plan, the listing, one try, and what was cut short in both places.
  expect(taken).toBeLessThanOrEqual(6)
  await running.done()
})

test('an upload that was never completed is a leftover, unless its task is at work', async () => {
  const out = server.location('torn')
  const { id } = await planFleet(fleetRequest({ in: [raw], out }), 2)
  const store = await fleetStore(out)
  const key = 'torn/.posthaul-fleet/map/000000/runs-00'
  server.uploads.set('1', { key, parts: new Map(), begun: new Date() })
  const look = () => lookAtFleet({ out, endpoint: undefined }, Date.now())
  expect((await look()).result.leftovers).toEqual({ files: 0, bytes: 0, unfinished: 1 })
  const running = await Try.begin(store, { plan: id, stage: 'map', index: 0, of: 1000 })
  expect((await look()).result.leftovers.unfinished).toBe(0)
  await running.done()
})
