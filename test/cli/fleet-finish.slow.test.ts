import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { fleetRequest, planFleet, runAll, writeHistory } from '../helpers/fleet.ts'
import { testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/seed.ts'
import { unfolded } from '../helpers/unfolded.ts'

test('rejects end a fleet with 3, and the line for mended ones is a transform of one machine', async () => {
  const folder = testFolder()
  const [raw, out, work] = [join(folder, 'raw'), join(folder, 'out'), join(folder, 'work')]
  writeHistory(raw, seedOf('fleet finish'), { files: 2, records: 200 })
  mkdirSync(work)
  await planFleet(fleetRequest({ in: [raw], out }), 2)
  await runAll(out, 2, { work })
  const first = await runHosted(['fleet', 'finish', '--out', out])
  expect(first.code, first.stderr).toBe(3)
  expect(unfolded(first.stderr)).toContain(
    `posthaul transform --preset mixpanel --in mended.rejects.ndjson --out ${out}-mended/`,
  )
  const again = await runHosted(['fleet', 'finish', '--out', out, '--json'])
  expect(again.code, again.stderr).toBe(3)
  expect(JSON.parse(again.stdout)).toMatchObject({ command: 'fleet finish', before: true, removed_files: 0 })
})
