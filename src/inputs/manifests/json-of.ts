import type { Store } from '../../store/index.ts'

/** What a small file of JSON says; undefined when there is no such file, or it is none. */
export async function jsonOfFile(store: Store, name: string): Promise<unknown> {
  const loaded = await store.load(name)
  try {
    return loaded && JSON.parse(Buffer.from(loaded.bytes).toString('utf8'))
  } catch {
    return undefined
  }
}
