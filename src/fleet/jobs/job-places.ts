import { PosthaulError } from '../../errors.ts'
import { isS3 } from '../../store/s3-location.ts'
import type { FleetPlan } from '../plan-file.ts'
import type { Engine, SecretVariable, SharedVolume } from './job-request.ts'

/** All places that tasks read or write. */
function placesOf({ job, inputs, sides }: FleetPlan, out: string): string[] {
  return [
    out,
    ...inputs.map(({ path }) => path),
    ...sides.flatMap((side) => side.inputs.map(({ path }) => path)),
    ...job.after.map(({ location }) => location),
    // The preset is a file.
    ...(job.presetSha256 === undefined ? [] : [job.preset]),
  ]
}

/** Those that are on this machine, or on a disk that several machines share. */
export function foldersOf(plan: FleetPlan, out: string): string[] {
  return placesOf(plan, out).filter((place) => !isS3(place))
}

/** Throws code `usage` if a task of the engine could not see a folder. */
export function assertSeen(folders: readonly string[], engine: Engine, shared?: SharedVolume): void {
  if (engine !== 'kubernetes' && engine !== 'aws-batch') return
  const inside = (folder: string) => shared !== undefined && `${folder}/`.startsWith(`${shared.path}/`)
  const stray = folders.find((folder) => !inside(folder))
  if (stray === undefined) return
  const bucket = 'plan with --in and --out in a bucket, or take the engine slurm or make'
  throw new PosthaulError(`the plan names ${stray}, and a container has no folder of this machine`, {
    code: 'usage',
    hint:
      engine === 'kubernetes'
        ? `${bucket}; or plan with paths inside a volume of the cluster, and name that with --claim`
        : bucket,
  })
}

const AWS_VARIABLES: readonly SecretVariable[] = [
  { name: 'AWS_ACCESS_KEY_ID', needed: false },
  { name: 'AWS_SECRET_ACCESS_KEY', needed: false },
  { name: 'AWS_SESSION_TOKEN', needed: false },
  { name: 'AWS_REGION', needed: false },
]

/** The variables that tasks read and no job file holds. In AWS Batch a role opens the buckets of AWS. */
export function secretsOf(plan: FleetPlan, out: string, engine: Engine): SecretVariable[] {
  const buckets = placesOf(plan, out).filter(isS3)
  const elsewhere = buckets.some((place) => place.includes('?endpoint='))
  const key = plan.job.hashKey === undefined ? [] : [{ name: 'POSTHAUL_HASH_KEY', needed: true }]
  if (buckets.length === 0 || (engine === 'aws-batch' && !elsewhere)) return key
  // Batch can't leave out a parameter that is not there.
  const aws = engine === 'aws-batch' ? AWS_VARIABLES.filter(({ name }) => !/TOKEN/.test(name)) : AWS_VARIABLES
  return [...aws, ...key]
}
