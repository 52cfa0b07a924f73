import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { startProgram } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { datasetIn, writeHistory } from '../helpers/fleet.ts'
import { makeFolder } from '../helpers/folder.ts'
import { ForeignS3 } from '../helpers/s3rver.ts'
import { seedOf } from '../helpers/seed.ts'
import { environmentOf, isOpen, type SlurmCluster, startSlurm } from '../helpers/slurm.ts'

/*
 * deploy/fleet/slurm.sh on a real Slurm, with the dataset in an S3 server that was written
 * elsewhere. Arrays of this cluster hold 3 tasks, so a stage of 4 takes two, one with an offset. Tasks are killed in the
 * middle of a write, and one is requeued while it runs.
 */
const TASKS = 4
const ROOT = join(import.meta.dirname, '../..')

/** What becomes of a task, once, when an object of this name arrives. */
const PLAGUES = [
  // The last task of an array, whose job has the id of the array itself.
  { at: /\/map\/000002\//, task: 'map/000002', how: 'kill -9' },
  { at: /\/map\/000003\//, task: 'map/000003', how: 'kill -9' },
  { at: /\/tries\/generate\/000001-/, task: 'generate/000001', how: 'kill -9' },
  { at: /\/tries\/seal\/000002-/, task: 'seal/000002', how: 'scontrol requeue' },
] as const

const log: string[] = []
const pids = new Map<string, number>()
const struck = new Set<string>()

/** Looks at each object that tasks write, and strikes the task that wrote it. */
async function arrived(key: string, body: Buffer): Promise<void> {
  const [, stage, index] = /\/tries\/(\w+)\/(\d{6})-/.exec(key) ?? []
  if (stage !== undefined) pids.set(`${stage}/${index}`, JSON.parse(body.toString()).pid)
  const plague = PLAGUES.find(({ at, task }) => at.test(key) && !struck.has(task))
  if (!plague) return
  const { task, how } = plague
  struck.add(task)
  const pid = pids.get(task)!
  const { SLURM_ARRAY_JOB_ID: array, SLURM_ARRAY_TASK_ID: place } = environmentOf(pid)
  const job = `${array}_${place}`
  log.push(`${how} ${how === 'kill -9' ? pid : job}: ${task}, job ${job}, while it writes ${key}`)
  if (how === 'kill -9') process.kill(pid, 'SIGKILL')
  else await slurm.run('scontrol', 'requeue', job)
}

let slurm: SlurmCluster
let s3: ForeignS3
const base = makeFolder()
beforeAll(async () => {
  s3 = await new ForeignS3(arrived).start()
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value)
  slurm = await startSlurm({ cpus: 3, maxArraySize: 4 })
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await slurm?.close()
  await s3?.close()
})

/** A folder for the path, in which `posthaul` is the one that was built. */
function binFolder(): string {
  const bin = join(base, 'bin')
  mkdirSync(bin)
  writeFileSync(
    join(bin, 'posthaul'),
    `#!/bin/sh\nexec '${process.execPath}' '${ROOT}/bin/posthaul.js' "$@"\n`,
  )
  chmodSync(join(bin, 'posthaul'), 0o755)
  return bin
}

/** Looks at the queue until all jobs have ended. */
async function untilEnded(): Promise<void> {
  const released = new Set<string>()
  for (;;) {
    const open = (await slurm.queue()).filter(isOpen)
    if (open.length === 0) return
    for (const { id, state, reason, restarts } of open) {
      if (state !== 'PENDING' || reason !== 'BeginTime' || released.has(`${id} ${restarts}`)) continue
      // Slurm lets a job that begins again wait for two minutes.
      released.add(`${id} ${restarts}`)
      log.push(`begins again: job ${id}, restart ${restarts}`)
      await slurm.run('scontrol', 'update', `JobId=${id}`, 'StartTime=now+1')
    }
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

test('a fleet on Slurm, whose tasks are killed and requeued, makes the dataset of one machine', async () => {
  const raw = join(base, 'raw')
  writeHistory(raw, seedOf('slurm'), { files: 12, records: 400, padding: 300 })
  const local = join(base, 'local')
  const input = ['--preset', 'mixpanel', '--in', raw, '--max-reject-ratio', '1']
  const alone = await runHosted(['transform', ...input, '--out', local])
  expect(alone.code, alone.stderr).toBe(3)

  const out = s3.location("it's a fleet/events")
  const planned = await runHosted(['fleet', 'plan', ...input, '--out', out, '--tasks', `${TASKS}`], s3.env)
  expect(planned.code, planned.stderr).toBe(0)
  const PATH = `${binFolder()}:${process.env.PATH}`
  const mib = { MAP_MIB: '1000', GENERATE_MIB: '1000', SEAL_MIB: '1000' }
  const job = { OUT: out, TASKS: `${TASKS}`, NAME: 'history', WORK_DIR: join(base, 'work'), ...mib }
  const env = { ...slurm.env, ...s3.env, PATH, ...job }
  const script = join(ROOT, 'deploy/fleet/slurm.sh')
  const submitted = await startProgram('bash', [script], { cwd: base, env }).ended
  expect(submitted.code, submitted.stderr).toBe(0)
  log.push(submitted.stdout.trim())

  await untilEnded()
  const ended = await slurm.queue()
  for (const { id, name, state, restarts } of ended) log.push(`${name} ${id}: ${state}, ${restarts} restarts`)
  console.log(log.join('\n'))
  expect(ended.map(({ state }) => state)).toEqual(Array(3 * TASKS + 1).fill('COMPLETED'))
  expect(struck.size).toBe(PLAGUES.length)
  expect(ended.reduce((sum, { restarts }) => sum + Number(restarts), 0)).toBe(PLAGUES.length)

  const fetched = join(base, 'fetched')
  mkdirSync(fetched)
  const store = await openStore(out)
  for (const { name } of await store.list()) await writeFile(join(fetched, name), store.read(name))
  expect(datasetIn(fetched)).toEqual(datasetIn(local))
  const again = await runHosted(['fleet', 'finish', '--out', out], s3.env)
  expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('finished before')])
})
