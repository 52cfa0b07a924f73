import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { finishFleet } from '../../src/fleet/finish.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetIn, fleetRequest, planFleet, runAll, writeHistory } from '../helpers/fleet.ts'
import { makeFolder, testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/seed.ts'

const seed = seedOf('fleet contract')
const base = makeFolder()
const raw = join(base, 'raw')
const map = join(base, 'mapping.yaml')
let local: Record<string, string>

beforeAll(async () => {
  writeHistory(raw, seed)
  // A file that is cut into several units, and an empty one.
  writeHistory(join(raw, 'large'), seed + 1, { files: 1, records: 900, padding: 10_000 })
  writeFileSync(join(raw, 'zz-empty.ndjson'), '')
  writeFileSync(
    map,
    'preset: mixpanel\ngroups:\n  company: properties.company\n  team: properties.plan\n',
  )
  const out = join(base, 'local')
  const ended = await runHosted(['transform', '--map', map, '--in', raw, '--out', out, '--workers', '2'])
  expect(ended.code, ended.stderr).toBe(3)
  local = datasetIn(out)
  // What the tasks have to agree on is in it: links and groups over all files, twins, rejects of several units of a file.
  const { events, rejects, names } = JSON.parse(local['manifest.json']!)
  expect([events.generated > 100, events.duplicate > 10, rejects.invalid_json > 10]).toEqual([true, true, true])
  expect([names.$identify > 30, names.$groupidentify > 5]).toEqual([true, true])
})

test.each([1, 2, 8])(
  'with %i tasks a stage the dataset is that of a transform on one machine, to the byte',
  async (tasks) => {
    const out = testFolder()
    const work = join(testFolder(), 'work')
    mkdirSync(work)
    const known = await planFleet(fleetRequest({ in: [raw], out, map, preset: undefined }), tasks)
    await runAll(out, tasks, { work })
    const ended = await finishFleet(out)
    expect(ended.before).toBe(false)
    expect(datasetIn(out)).toEqual(local)
    expect(known.plan.firstUnits).toHaveLength(tasks + 1)
  },
)
