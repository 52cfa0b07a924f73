import { PosthaulError } from '../errors.ts'
import { LocalStore } from './local.ts'
import type { S3StoreOptions } from './s3.ts'
import { isS3 } from './s3-location.ts'
import type { Store } from './store.ts'

/** Opens the store at a place the user named. Nothing is read or made until it is used. */
export async function openStore(location: string, options?: S3StoreOptions): Promise<Store> {
  if (isS3(location)) {
    // Loaded only for buckets: the SDK takes longer to load than most commands take to run.
    const { S3Store } = await import('./s3.ts')
    return new S3Store(location, options)
  }
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]
  if (scheme) {
    throw new PosthaulError(`${location}: stores at ${scheme}:// cannot be opened`, {
      code: 'usage',
      hint: 'name a folder on this machine, or s3://bucket/prefix',
    })
  }
  return new LocalStore(location)
}
