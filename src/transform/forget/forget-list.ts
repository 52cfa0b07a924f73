import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { TextDecoder } from 'node:util'
import { PosthaulError } from '../../errors.ts'
import { isNullWord } from '../../record/nobody.ts'
import { cleanDistinctId } from '../../record/rules.ts'
import { fileError } from '../../store/file-error.ts'
import { MIB } from '../../text/units.ts'

export interface ForgetList {
  readonly path: string
  readonly sha256: string
  readonly ids: number
  readonly all?: boolean | undefined
}

/** Who is told of a list's entries: the forms in which records may name one person, and the line that names them. */
type EachEntry = (forms: readonly string[], line: number) => void

/** Mixpanel's devices have it; events of them don't. */
const DEVICE_PREFIX = '$device:'

/** No id is so long, and a file without line ends would be held in memory. */
const LONGEST_LINE = MIB

/**
 * Reads a list of ids, one a line, in quotes or not, and tells `each` of every form in which records may name one. Memory stays
 * flat. Code `config` for what is no such list, so that nobody is missed in silence: a device may have no end, a pipe can't be
 * read a second time, and of a line with several cells nobody knows which are ids.
 */
export async function readForgetList(path: string, each: EachEntry = () => {}): Promise<ForgetList> {
  const sum = createHash('sha256')
  let [ids, number] = [0, 0]
  try {
    for await (const line of linesOf(path, (bytes) => sum.update(bytes))) {
      const id = cleanDistinctId(idIn(line, ++number, path))
      // A database writes \N or NULL for a row without an id: no person has it.
      if (typeof id !== 'string' || isNullWord(id)) continue
      ids++
      each(id.startsWith(DEVICE_PREFIX) ? [id, id.slice(DEVICE_PREFIX.length)] : [id], number)
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
  if (ids === 0) {
    throw new PosthaulError(`${path} holds no id to forget`, {
      code: 'config',
      hint: 'write one id a line, or take forget: out of the mapping file',
    })
  }
  return { path, sha256: sum.digest('hex'), ids }
}

const QUOTED = /^\s*(["'])((?:(?!\1).|\1\1)*)\1\s*$/s

/** The id in a line. The error names none: the list is of people who must not be named. */
function idIn(line: string, number: number, path: string): string {
  const [, quote, text] = QUOTED.exec(line) ?? []
  if (quote !== undefined) return text!.replaceAll(quote + quote, quote)
  if (/[,;\t]|^\s*[[{]/.test(line)) throw unusable(`line ${number} of ${path} is more than one id`)
  return line
}

/** The lines of a list. `read` is told of its bytes. */
async function* linesOf(path: string, read: (bytes: Buffer) => void): AsyncGenerator<string> {
  const file = await openOrdinary(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let rest = ''
  for await (const chunk of file.createReadStream() as AsyncIterable<Buffer>) {
    read(chunk)
    const lines = (rest + textOf(chunk, decoder, path)).split(/\r?\n/)
    rest = lines.pop()!
    if (rest.length > LONGEST_LINE) throw unusable(`${path} is no list of ids: a line is longer than 1 MiB`)
    yield* lines
  }
  yield rest + textOf(Buffer.alloc(0), decoder, path, true)
}

function textOf(chunk: Buffer, decoder: TextDecoder, path: string, isLast = false): string {
  try {
    if (chunk.includes(0)) throw new RangeError('a NUL')
    return decoder.decode(chunk, { stream: !isLast })
  } catch (cause) {
    throw unusable(`${path} is no text in UTF-8`, cause)
  }
}

/** It does not wait for a writer of a pipe. A folder is told of by the first read. */
async function openOrdinary(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stats = await file.stat()
  if (stats.isFile() || stats.isDirectory()) return file
  await file.close()
  throw unusable(`${path} is not an ordinary file`)
}

function unusable(message: string, cause?: unknown): PosthaulError {
  return new PosthaulError(message, {
    code: 'config',
    hint: 'forget: is the path of an ordinary file of text with one id a line; an id with , ; or a tab in it goes in quotes',
    cause,
  })
}
