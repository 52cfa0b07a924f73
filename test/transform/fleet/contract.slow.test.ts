import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { finishFleet } from '../../../src/transform/fleet/finish-fleet.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { datasetIn, fleetRequest, planFleet, runAll, writeCalls, writeHistory } from '../../helpers/fleet.ts'
import { makeFolder, testFolder } from '../../helpers/folder.ts'
import { seedOf } from '../../helpers/seed.ts'

const seed = seedOf('fleet contract')
const base = makeFolder()
const raw = join(base, 'raw')
const calls = join(base, 'calls')

beforeAll(() => {
  writeHistory(raw, seed)
  // A file that is cut into several units, and an empty one.
  writeHistory(join(raw, 'large'), seed + 1, { files: 1, records: 900, padding: 10_000 })
  writeFileSync(join(raw, 'zz-empty.ndjson'), '')
  writeCalls(calls, seed + 2)
})

/** What tasks have to agree on is in it: links and groups over all files, twins, rejects of several units of a file. */
const HISTORIES = [
  { preset: 'mixpanel', from: raw, code: 3, least: { $identify: 50, bad_json: 40, duplicate: 50 } },
  { preset: 'segment', from: calls, code: 0, least: { $identify: 50, $groupidentify: 100 } },
]

describe.each(HISTORIES)('a history of $preset', ({ preset, from, code, least }) => {
  let local: Record<string, string>
  beforeAll(async () => {
    const out = join(base, preset)
    const ended = await runHosted([
      'transform',
      '--preset',
      preset,
      '--in',
      from,
      '--out',
      out,
      '--workers',
      '2',
    ])
    expect(ended.code, ended.stderr).toBe(code)
    local = datasetIn(out)
    const { rejects, events, names } = JSON.parse(local['manifest.json']!)
    for (const [what, count] of Object.entries(least)) {
      expect({ ...rejects, ...events, ...names }[what], what).toBeGreaterThan(count)
    }
  })

  test.each([1, 2, 8])('with %i tasks a stage is that of one machine, to the byte', async (tasks) => {
    const out = testFolder()
    const work = join(testFolder(), 'work')
    mkdirSync(work)
    await planFleet(fleetRequest({ in: [from], out, preset }), tasks)
    await runAll(out, tasks, { work })
    expect((await finishFleet(out)).before).toBe(false)
    expect(datasetIn(out)).toEqual(local)
    // A second finish changes nothing.
    expect((await finishFleet(out)).before).toBe(true)
    expect(datasetIn(out)).toEqual(local)
  })
})
