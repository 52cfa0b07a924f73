import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { type MappingFile, parseMapping } from '../mapping/mapping-file.ts'
import { fileError } from '../store/file-error.ts'

/** Reads a mapping file, YAML or JSON. Code `config`, with line and column, for anything not allowed in it. */
export async function loadMapping(path: string): Promise<MappingFile> {
  let bytes: Buffer
  try {
    bytes = await readFile(path)
  } catch (error) {
    const told = fileError(error, 'read the mapping file', path)
    if (!(told instanceof PosthaulError)) throw told
    throw new PosthaulError(told.message, {
      code: 'config',
      ...(told.hint && { hint: told.hint }),
      cause: error,
    })
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  return { ...parseMapping(bytes.toString('utf8'), path), sha256 }
}
