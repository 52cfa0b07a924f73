import type { FileHandle } from 'node:fs/promises'

/** The end of the process: what was done before it is done, and nothing is done after it. */
class Killed extends Error {
  override readonly message = 'killed'
}

/** Where a process dies: before its nth change of the disk, after it, or in the midst of a write. */
export interface Kill {
  readonly at: number
  readonly when: 'before' | 'half' | 'after'
}

/** What may be killed. `steps` counts the changes of the disk since it was born. */
export class Life {
  steps: string[] = []
  /** The files that are open. */
  readonly files = new Set<FileHandle>()
  #kill: Kill | undefined
  #isDead = false

  /** Runs work that dies at `kill`, if it comes so far. Returns its steps. */
  async until(kill: Kill | undefined, work: () => Promise<unknown>): Promise<readonly string[]> {
    this.steps = []
    this.#kill = kill
    try {
      await work()
    } catch (error) {
      if (!this.#isDead) throw error
    } finally {
      this.#kill = undefined
      if (this.#isDead) for (const file of this.files) await file.close()
      this.files.clear()
      this.#isDead = false
    }
    return [...this.steps]
  }

  /** A change of the disk; `half` does a part of it. */
  act<T>(name: string, whole: () => T, half: () => unknown = () => undefined): T {
    if (this.#isDead) throw new Killed()
    const at = this.steps.push(name) - 1
    if (this.#kill?.at !== at) return whole()
    this.#isDead = true
    const { when } = this.#kill
    const done = when === 'before' ? undefined : when === 'half' ? half() : whole()
    if (done instanceof Promise) {
      return done.then(() => {
        throw new Killed()
      }) as T
    }
    throw new Killed()
  }
}

type Files = typeof import('node:fs/promises')
type Call = (...args: never[]) => Promise<unknown>

/** The functions that change a disk, for as long as `life` lasts. */
export function mortalFiles(files: Files, life: Life): Files {
  const mortal =
    (call: Call) =>
    async (...args: never[]) =>
      life.act(call.name, () => call(...args))
  const open: Files['open'] = async (path, flags, mode) => {
    const opening = async () => {
      const file = await files.open(path, flags, mode)
      life.files.add(file)
      return file
    }
    return mortalHandle(await (flags === 'r' ? opening() : life.act('open', opening)), life)
  }
  const { rename, link, rm, unlink } = files
  return {
    ...files,
    rename: mortal(rename) as Files['rename'],
    link: mortal(link) as Files['link'],
    rm: mortal(rm) as Files['rm'],
    unlink: mortal(unlink) as Files['unlink'],
    open,
  }
}

/** A file that is written to for as long as `life` lasts. */
function mortalHandle(file: FileHandle, life: Life): FileHandle {
  // No power is cut here, and a real sync takes long.
  const synced = (name: string) => async () => life.act(name, () => undefined)
  const changes: Partial<FileHandle> = {
    close: async () => {
      life.files.delete(file)
      await file.close()
    },
    sync: synced('sync'),
    datasync: synced('datasync'),
    truncate: async (length) => life.act('truncate', () => file.truncate(length)),
    writeFile: async (content) =>
      life.act(
        'writeFile',
        () => file.writeFile(content),
        () => file.writeFile(halfOf(content)),
      ),
    write: async (bytes: Uint8Array, at: number, length: number, position: number) =>
      life.act(
        'write',
        () => file.write(bytes, at, length, position),
        () => file.write(bytes, at, Math.floor(length / 2), position),
      ),
  } as Partial<FileHandle>
  return new Proxy(file, {
    get(target, name) {
      const value = changes[name as keyof FileHandle] ?? Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

function halfOf(content: unknown): Buffer {
  const bytes = Buffer.from(content as string)
  return bytes.subarray(0, bytes.length / 2)
}
