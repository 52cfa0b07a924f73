import { PosthaulError } from '../errors.ts'
import { LocalStore } from './local.ts'
import type { Store } from './store.ts'

/** Opens the store at a place the user named. Nothing is read or made until it is used. */
export async function openStore(location: string): Promise<Store> {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(location)?.[1]
  if (scheme) {
    throw new PosthaulError(`${location}: stores at ${scheme}:// cannot be opened`, {
      code: 'usage',
      hint: 'name a folder on this machine',
    })
  }
  return new LocalStore(location)
}
