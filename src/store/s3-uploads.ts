import { isDeepStrictEqual } from 'node:util'
import { ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3'
import { noBucket } from './s3-error.ts'
import type { S3Location } from './s3-location.ts'
import type { Unfinished } from './store.ts'

/** A multipart upload that was begun and not completed, with what it takes to end it. */
export interface Upload extends Unfinished {
  readonly upload: { readonly Key: string; readonly UploadId: string }
}

/** All uploads under way in a place: those of running puts, and what killed ones left. Throws the SDK's errors. */
export async function uploadsUnderWay(
  client: S3Client,
  { bucket, prefix }: S3Location,
  location: string,
): Promise<Upload[]> {
  const start = prefix === '' ? '' : `${prefix}/`
  const found: Upload[] = []
  let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (after) {
    const page: Awaited<ReturnType<typeof pageAfter>> = await pageAfter(client, bucket, start, after)
    if (page.IsTruncated === undefined) throw noBucket('list', location)
    for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
      if (Key === undefined || UploadId === undefined) continue
      found.push({
        name: Key.slice(start.length),
        // One that has no time is taken for one of a running put.
        since: Initiated?.getTime() ?? Date.now(),
        upload: { Key, UploadId },
      })
    }
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    const next =
      IsTruncated && KeyMarker ? { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) } : undefined
    // The same page again would be listed for ever.
    if (next && isDeepStrictEqual(next, after)) throw noBucket('list', location)
    after = next
  }
  return found
}

function pageAfter(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  after: { KeyMarker?: string; UploadIdMarker?: string },
) {
  return client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after }))
}
