import { createHash } from 'node:crypto'
import { dirname, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { type MappingFile, parseMapping } from '../mapping/mapping-file.ts'
import { isPresetFile } from '../mapping/preset.ts'
import { fileError } from '../store/file-error.ts'
import { readWhole, utf8Of } from '../store/read-file.ts'
import { MIB } from '../text/units.ts'

const MOST_BYTES = 4 * MIB

/** Reads a mapping file, YAML or JSON. Code `config`, with line and column, for anything not allowed in it. */
export async function loadMapping(path: string): Promise<MappingFile> {
  return takeMapping(await read(path, 'read the mapping file', true), path)
}

/** The same for bytes that are, or are to be, in the file at `path`: the files that they name are looked for beside it. */
export async function takeMapping(bytes: Buffer, path: string): Promise<MappingFile> {
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const file = parseMapping(utf8Of(bytes, path), path)
  const beside = (name: string | undefined) => name && resolve(dirname(path), name)
  const columnsFrom = beside(file.columnsFrom)
  const columns = columnsFrom ? { ...file.columns, header: await readHeader(columnsFrom) } : file.columns
  const preset = file.preset && isPresetFile(file.preset) ? beside(file.preset) : file.preset
  const forget = file.forget && { ...file.forget, file: beside(file.forget.file)! }
  return { ...file, preset, forget, columnsFrom, columns, sha256 }
}

/** The names of columns in a file that holds nothing else. */
async function readHeader(path: string): Promise<readonly string[]> {
  const text = utf8Of(await read(path, 'read the list of columns', false), path).replace(/^\uFEFF/, '')
  const names = text.split(/[\t\r\n]+/).filter((name) => name !== '')
  if (names.length > 1) return names
  throw new PosthaulError(`${path} does not hold names of columns divided by tabs or lines`, {
    code: 'config',
    hint: 'columns_from: is the path, from where the mapping file is, of a list such as column_headers.tsv',
  })
}

/** Only the mapping file itself can be a pipe, as a shell makes for `--map <(…)`. */
async function read(path: string, what: string, pipe: boolean): Promise<Buffer> {
  try {
    return await readWhole(path, { mostBytes: MOST_BYTES, pipe })
  } catch (error) {
    const told = fileError(error, what, path)
    if (!(told instanceof PosthaulError)) throw told
    throw new PosthaulError(told.message, {
      code: 'config',
      ...(told.hint && { hint: told.hint }),
      cause: error,
    })
  }
}
