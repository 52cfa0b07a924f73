import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { PosthaulError } from '../../errors.ts'
import { cleanDistinctId, isNullWord } from '../../record/index.ts'
import { fileError } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'

/** A list of ids to forget, as a run was begun with it. */
export interface ForgetList {
  readonly path: string
  readonly sha256: string
  readonly ids: number
}

/** Mixpanel's devices have it; events of them don't. */
const DEVICE_PREFIX = '$device:'

/** No id is so long. A file without line ends would be held in memory, and searched again with each piece. */
const LONGEST_LINE = MIB

/**
 * Reads a list of ids, one a line, and tells `each` of every form in which records may name one. Memory stays flat. Code
 * `config` for what is no such list: a device may have no end, and a pipe can't be read a second time.
 */
export async function readForgetList(
  path: string,
  each: (id: string) => void = () => {},
): Promise<ForgetList> {
  const sum = createHash('sha256')
  let [ids, rest] = [0, '']
  const take = (line: string) => {
    const id = cleanDistinctId(line)
    // A database writes \N or NULL for a row without an id: no person has it.
    if (typeof id !== 'string' || isNullWord(id)) return
    ids++
    each(id)
    if (id.startsWith(DEVICE_PREFIX)) each(id.slice(DEVICE_PREFIX.length))
  }
  try {
    const file = await openOrdinary(path)
    for await (const chunk of file.createReadStream({ encoding: 'utf8' })) {
      sum.update(chunk as string)
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      if (rest.length > LONGEST_LINE) throw unusable(`${path} is no list of ids: a line is longer than 1 MiB`)
      for (const line of lines) take(line)
    }
  } catch (error) {
    if (error instanceof PosthaulError) throw error
    const told = fileError(error, 'read the list of ids to forget', path)
    if (!(told instanceof PosthaulError)) throw told
    throw new PosthaulError(told.message, {
      code: 'config',
      hint: 'forget: is a path from where the mapping file is',
      cause: error,
    })
  }
  take(rest)
  if (ids === 0) {
    throw new PosthaulError(`${path} holds no id to forget`, {
      code: 'config',
      hint: 'write one id a line, or take forget: out of the mapping file',
    })
  }
  return { path, sha256: sum.digest('hex'), ids }
}

/** It does not wait for a writer of a pipe. A folder is told of by the first read. */
async function openOrdinary(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stats = await file.stat()
  if (stats.isFile() || stats.isDirectory()) return file
  await file.close()
  throw unusable(`${path} is no ordinary file`)
}

function unusable(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'config',
    hint: 'forget: is the path of an ordinary file with one id a line',
  })
}
