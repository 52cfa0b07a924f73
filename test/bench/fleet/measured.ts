import { mkdirSync, rmSync } from 'node:fs'
import type { Bench } from '../bench.ts'
import { POSTHAUL } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Bucket, Traffic } from './bucket.ts'
import { peakOf } from './peak-folder.ts'

/** Of plans that gather nothing before. */
const STAGES = ['map', 'generate', 'seal']

/** What a stage took, all its tasks together. */
export interface StageSample {
  readonly stage: string
  /** Processor seconds of all processes, user and system. */
  readonly cpu: number
  /** The most memory, and the most of its folder of work files, that a task took. */
  readonly megabytes: number
  readonly disk: number
  readonly traffic: Traffic
}

/** Which command a run is of, and where in the bucket it writes; elsewhere if a place is named. */
interface Stage {
  readonly stage: string
  readonly out: string
  readonly place?: string
}

/** One transform on this machine, from the bucket into the bucket. */
export async function measureLocal(bench: Bench, bucket: Bucket, vendor: string): Promise<StageSample[]> {
  const out = 'local'
  const from = ['--preset', vendor, '--in', bucket.path('raw')]
  return [await measured(bench, bucket, { stage: 'transform', out }, [['transform', ...from]])]
}

/** The same, from a file of this machine into a folder. */
export async function measureFolder(
  bench: Bench,
  bucket: Bucket,
  vendor: string,
  input: string,
): Promise<StageSample[]> {
  const stage = { stage: 'transform', out: 'folder', place: bench.path('folder') }
  const sample = await measured(bench, bucket, stage, [['transform', '--preset', vendor, '--in', input]])
  await bench.remove('folder')
  return [sample]
}

/** A fleet of so many tasks, one task after the other, from the bucket into the bucket. */
export async function measureFleet(
  bench: Bench,
  bucket: Bucket,
  vendor: string,
  tasks: number,
): Promise<StageSample[]> {
  const out = `fleet-${tasks}`
  const one = (stage: string, ...runs: string[][]) => measured(bench, bucket, { stage, out }, runs)
  const from = ['--preset', vendor, '--in', bucket.path('raw')]
  const samples = [await one('plan', ['fleet', 'plan', ...from, '--tasks', String(tasks)])]
  for (const stage of STAGES) {
    const indexes = Array.from({ length: tasks }, (_, index) => [
      'fleet',
      'run',
      stage,
      '--index',
      `${index}`,
    ])
    samples.push(await one(stage, ...indexes))
  }
  samples.push(await one('finish', ['fleet', 'finish']))
  return samples
}

async function measured(
  bench: Bench,
  bucket: Bucket,
  { stage, out, place }: Stage,
  runs: readonly (readonly string[])[],
): Promise<StageSample> {
  await bucket.take(out)
  let [cpu, megabytes, disk] = [0, 0, 0]
  for (const args of runs) {
    const work = bench.path('work')
    mkdirSync(work, { recursive: true })
    // A dataset in a folder has its work files inside of it.
    const takesWork = place === undefined && (args.includes('run') || args.includes('transform'))
    const worked = takesWork ? ['--work-dir', work] : []
    const [sample, bytes] = await peakOf(work, () =>
      runNode([POSTHAUL, ...args, '--out', place ?? bucket.path(out), ...worked], bucket.env),
    )
    rmSync(work, { recursive: true })
    cpu += sample.cpu
    megabytes = Math.max(megabytes, sample.megabytes)
    disk = Math.max(disk, bytes)
  }
  return { stage, cpu, megabytes, disk, traffic: await bucket.take(out) }
}
