import { readlinkSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'

type Call = (this: FileHandle, ...given: unknown[]) => Promise<unknown>

/** The disk of a folder, for what this process writes to files that it has opened: it can be full. */
export class Disk {
  isFull = false
  readonly #files: Record<'write' | 'writeFile' | 'sync', Call>
  readonly #real: Record<'write' | 'writeFile' | 'sync', Call>

  private constructor(files: Record<'write' | 'writeFile' | 'sync', Call>, folder: string) {
    const { write, writeFile, sync } = files
    this.#files = files
    this.#real = { write, writeFile, sync }
    const failing = (call: Call): Call => {
      const fails = (fd: number) => this.isFull && readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder)
      return async function (...given) {
        if (!fails(this.fd)) return call.apply(this, given)
        throw Object.assign(new Error('ENOSPC: no space left on device'), {
          code: 'ENOSPC',
          syscall: 'write',
        })
      }
    }
    // Nobody cuts the power here, and a real sync takes long.
    Object.assign(files, {
      write: failing(write),
      writeFile: failing(writeFile),
      sync: async () => undefined,
    })
  }

  static async of(folder: string): Promise<Disk> {
    const handle = await open('/dev/null')
    const files = Object.getPrototypeOf(handle) as Record<'write' | 'writeFile' | 'sync', Call>
    await handle.close()
    return new Disk(files, folder)
  }

  /** Files are written as ever. */
  close(): void {
    Object.assign(this.#files, this.#real)
  }
}
