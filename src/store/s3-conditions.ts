import { randomUUID } from 'node:crypto'
import { DeleteObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'
import { PosthaulError } from '../errors.ts'
import { failureOf, noBucket, s3Error } from './s3-error.ts'
import type { S3Location } from './s3-location.ts'
import type { PutCondition } from './store.ts'

/** The condition of a put in the SDK's terms. */
export type Condition = { IfNoneMatch?: '*'; IfMatch?: string }

/** A condition as the bucket is asked for it. */
export function termsOf(condition: PutCondition): Condition {
  return condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.version }
}

/** Finds out whether a bucket keeps conditions, by puts of a tiny object: some services silently ignore them. */
export async function keepsConditions(
  client: S3Client,
  { bucket, prefix }: S3Location,
  location: string,
): Promise<boolean> {
  const folder = prefix === '' ? '' : `${prefix}/`
  const probe = { Bucket: bucket, Key: `${folder}.probe-${randomUUID().slice(0, 8)}` }
  const put = async (terms: Condition): Promise<number> => {
    try {
      const { ETag } = await client.send(new PutObjectCommand({ ...probe, ...terms, Body: 'probe' }))
      if (ETag === undefined) throw noBucket('write', location)
      return 200
    } catch (error) {
      const { status } = failureOf(error)
      if (status === 412 || status === 409 || status === 501 || status === 400) return status
      throw s3Error(error, 'write', location)
    }
  }
  // What refuses this too, refuses all: that tells nothing of conditions.
  if ((await put({})) !== 200) throw noBucket('write', location)
  const taken = await put({ IfNoneMatch: '*' })
  const stale = await put({ IfMatch: '"00000000000000000000000000000000"' })
  await client.send(new DeleteObjectCommand(probe)).catch(() => undefined)
  return [taken, stale].every((status) => status === 412 || status === 409)
}

/** The refusal of a put on a condition that its bucket ignores. `singleWriter`: the command's setting, if it has one. */
export function ignoresConditions(location: string, singleWriter: boolean | undefined): PosthaulError {
  const option =
    singleWriter === undefined
      ? ''
      : ', or set POSTHAUL_SINGLE_WRITER=true (import.singleWriter in posthaul.config.json) if no other run can be at it'
  return new PosthaulError(
    `${location} cannot keep two runs apart: its service knows no conditional writes`,
    {
      code: 'config',
      hint: `use a bucket at AWS, R2 or a current MinIO, or a folder on this machine${option}`,
    },
  )
}
