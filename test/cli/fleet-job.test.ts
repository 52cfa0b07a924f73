import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  type FleetPlan,
  fleetStore,
  frozen,
  PLAN_FORMAT,
  writePlan,
} from '../../src/transform/fleet/plan-file.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'

/** A folder with a plan of two tasks. */
async function planned(name: string): Promise<string> {
  const out = join(testFolder(), name)
  const plan = {
    format: PLAN_FORMAT,
    tasks: 2,
    inputs: [],
    sides: [],
    job: { after: [] },
    firstUnits: [0, 1, 2],
  }
  await writePlan(await fleetStore(out), frozen(plan as unknown as FleetPlan))
  return out
}

describe('fleet job', () => {
  test('prints the makefile on stdout, and what to do with it on stderr', async () => {
    const out = await planned("it's events")
    const { code, stdout, stderr } = await runCommand([
      'fleet',
      'job',
      '--out',
      out,
      '--work-dir',
      '/scratch',
    ])
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`--out '${out.replace("'", "'\\''")}' --work-dir /scratch`)
    expect(stderr).toContain('Next:\n  make -f posthaul.mk -j4\n')
  })

  test('without a plan it says how to make one', async () => {
    const { code, stderr } = await runCommand(['fleet', 'job', '--out', testFolder()])
    expect(code).toBe(2)
    expect(unfolded(stderr)).toContain('make a plan: posthaul fleet plan')
  })

  test('a path with a line break is refused: it would end a line of the file', async () => {
    const { code, stdout, stderr } = await runCommand(['fleet', 'job', '--out', await planned('a\nb')])
    expect([code, stdout]).toEqual([2, ''])
    expect(unfolded(stderr)).toContain('--out has a line break')
  })
})

test('a task in a pod refuses a bucket at 127.0.0.1, which is another one in each pod', async () => {
  const argv = ['fleet', 'run', 'map', '--index', '0', '--out', 's3://bucket/events']
  const env = { KUBERNETES_SERVICE_HOST: '10.0.0.1' }
  const { code, stderr } = await runCommand([...argv, '--endpoint', 'http://127.0.0.1:9000'], { env })
  expect(code).toBe(2)
  expect(unfolded(stderr)).toContain('http://127.0.0.1:9000 is this pod alone')
})
