import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { fileError } from '../../store/file-error.ts'
import { scratchFolder } from '../../store/ownership.ts'

/** Private files of what is read more than once. */
export interface Spooled {
  readonly path: string
  remove(): Promise<void>
}

/** Copies standard input to a private file, since inputs are read more than once. A killed run's file goes with the next run. */
export async function spoolStdin({
  stdin,
  interrupted,
}: Pick<Io, 'stdin' | 'interrupted'>): Promise<Spooled> {
  if (stdin.isTTY) {
    throw new PosthaulError('- is standard input, and nothing is piped into it', {
      code: 'usage',
      hint: 'pipe the records in, for example: zcat events.gz | posthaul init -',
    })
  }
  const folder = await scratchFolder('posthaul-stdin-')
  const path = join(folder, 'stdin')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(stdin, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: interrupted })
  } catch (error) {
    await remove()
    interrupted.throwIfAborted()
    throw fileError(error, 'write', path)
  }
  return { path, remove }
}
