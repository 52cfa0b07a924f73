import { dirname } from 'node:path'
import { replaceFile } from './atomic-file.ts'
import { sweepBeside } from './leftovers.ts'
import { LocalStore, loadFile, publishIf, removeIf } from './local.ts'
import { makeFolder } from './make-folder.ts'
import type { Loaded, PutCondition, Store } from './store.ts'

/** A small file that several processes replace, each only if it still holds what that process has read. */
export interface Cell {
  /** For messages. */
  readonly address: string
  /** The bytes, or undefined when there is no such file. */
  load(): Promise<Loaded | undefined>
  /** Replaces the bytes. Code `mismatch` if another writer was first. */
  put(text: string, condition: PutCondition): Promise<void>
  /**
   * Takes the bytes away, if they still have this version; otherwise it throws as `put` does. A local file is removed.
   * In a bucket an empty one stays: not every service removes on a condition.
   */
  clear(version: string): Promise<void>
  /** Removes what dead writers left half written. Only a local file leaves any. */
  sweep?(): Promise<void>
}

/** A file of a store as a cell. The first `put` makes the folder of a local one. */
export function storeCell(store: Store, name: string): Cell {
  const address = store.address(name)
  if (store instanceof LocalStore) {
    const file = fileCell(address)
    const put: Cell['put'] = async (text, condition) => {
      await makeFolder(dirname(address))
      await file.put(text, condition)
    }
    return { ...file, put }
  }
  const put: Cell['put'] = async (text, condition) =>
    void (await store.put(name, Buffer.from(text), condition))
  return { address, load: () => store.load(name), put, clear: (version) => put('', { version }) }
}

/** A file of this machine as a cell, whatever its name. Its folder has to exist. */
export function fileCell(path: string): Cell {
  return {
    address: path,
    load: () => loadFile(path),
    put: (text, condition) =>
      replaceFile(
        path,
        (file) => file.writeFile(text),
        (temporary) => publishIf(path, temporary, condition),
      ),
    clear: (version) => removeIf(path, version),
    sweep: () => sweepBeside(path),
  }
}
