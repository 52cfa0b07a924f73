import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { PosthaulError } from '../../errors.ts'
import { cleanDistinctId } from '../../record/rules.ts'
import { fileError } from '../../store/file-error.ts'

/** A list of ids to forget, as a run was begun with it. */
export interface ForgetList {
  readonly path: string
  readonly sha256: string
  readonly ids: number
}

/** Mixpanel's devices have it; events of them don't. */
const DEVICE_PREFIX = '$device:'

/** Reads a list of ids, one a line, and tells `each` of every form in which records may name one. Memory stays flat. */
export async function readForgetList(
  path: string,
  each: (id: string) => void = () => {},
): Promise<ForgetList> {
  const sum = createHash('sha256')
  let [ids, rest] = [0, '']
  const take = (line: string) => {
    const id = cleanDistinctId(line)
    if (typeof id !== 'string') return
    ids++
    each(id)
    if (id.startsWith(DEVICE_PREFIX)) each(id.slice(DEVICE_PREFIX.length))
  }
  try {
    for await (const chunk of createReadStream(path).setEncoding('utf8')) {
      sum.update(chunk as string)
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      for (const line of lines) take(line)
    }
  } catch (error) {
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
