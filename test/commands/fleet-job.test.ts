import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { fleetStore } from '../../src/fleet/fleet-files.ts'
import { type FleetPlan, frozen, PLAN_FORMAT, writePlan } from '../../src/fleet/plan-file.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'

const GIB = 1024 ** 3

/** A folder with a plan of 100 GiB, half of it packed, in two tasks. */
async function planned(path: string, changes: Partial<FleetPlan['job']> = {}): Promise<string> {
  const out = join(testFolder(), "it's events")
  const input = { format: 'ndjson', delimiter: undefined, rejects: false, mtimeMs: 0, size: 50 * GIB }
  const inputs = [
    { ...input, path, name: 'a.gz', compression: 'gzip' },
    { ...input, path, name: 'a.ndjson', compression: 'none' },
  ]
  const job = { after: [], ...changes }
  const plan = { format: PLAN_FORMAT, tasks: 2, inputs, sides: [], job, firstUnits: [0, 1, 801] }
  await writePlan(await fleetStore(out), frozen(plan as unknown as FleetPlan))
  return out
}

const jobOf = (engine: string, out: string, ...words: string[]) =>
  runCommand(['fleet', 'job', '--engine', engine, '--out', out, ...words])

describe('fleet job', () => {
  test('prints the file on stdout, and what to do with it on stderr', async () => {
    const out = await planned('/raw/a')
    const { code, stdout, stderr } = await jobOf('make', out)
    expect(code, stderr).toBe(0)
    expect(stdout).toContain(`--out '${out.replace("'", "'\\''")}'`)
    // The packed half is ten times as large, and scratch a half more.
    expect(unfolded(stderr)).toContain(
      '2 tasks a stage; each may use map 768 MiB of memory and 751 GiB of disk',
    )
    expect(stderr).toContain('Next:\n  make -f posthaul.mk -j4\n')
  })

  test('takes what the user knows better', async () => {
    const words = ['--disk', '40', '--memory', '2048', '--name', 'history', '--work-dir', '/scratch']
    const { stdout } = await jobOf('slurm', await planned('s3://b/raw/a'), ...words)
    expect(stdout).toContain('map=$(submit_stage map 1 2048 40 ')
    expect(stdout).toContain('\nname=history\n')
    expect(stdout).toContain('\nwork=/scratch\n')
  })

  test('without a plan it says how to make one', async () => {
    const { code, stderr } = await jobOf('slurm', testFolder())
    expect(code).toBe(2)
    expect(unfolded(stderr)).toContain('make one with posthaul fleet plan')
  })

  test.each(['kubernetes', 'aws-batch'])('a container has no folder of this machine: %s', async (engine) => {
    const { code, stdout, stderr } = await jobOf(engine, await planned('/raw/a'))
    expect([code, stdout]).toEqual([2, ''])
    expect(unfolded(stderr)).toContain('a container has no folder of this machine')
  })

  test('Kubernetes takes folders of a volume, and no others', async () => {
    const inside = async (out: string) => jobOf('kubernetes', out, '--claim', `history:${join(out, '..')}`)
    expect((await inside(await planned('/raw/a'))).code).toBe(2)
    const { code, stdout, stderr } = await inside(await planned('s3://b/raw/a'))
    expect(code, stderr).toBe(0)
    expect(stdout).toContain('claimName: history')
  })

  test('a key of hashes is asked for by name', async () => {
    const out = await planned('s3://b/raw/a', { hashKey: 'abc' })
    const { stdout } = await jobOf('slurm', out)
    expect(stdout).toContain(
      'AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION, POSTHAUL_HASH_KEY',
    )
  })

  test.each([
    ['make', '--parallelism', '3', 'say it to make: make -j 8'],
    ['slurm', '--image', 'posthaul', 'leave --image out'],
    ['aws-batch', '--claim', 'a:/b', 'leave --claim out'],
  ])('%s does not read %s', async (engine, flag, value, hint) => {
    const { code, stderr } = await jobOf(engine, testFolder(), flag, value)
    expect(code).toBe(2)
    expect(unfolded(stderr)).toContain(hint)
  })

  test('a path with a line break is refused', async () => {
    const { code, stderr } = await jobOf('make', await planned('/raw/a'), '--work-dir', '/a\nb')
    expect(code).toBe(2)
    expect(stderr).toContain('--work-dir has a line break')
  })
})
