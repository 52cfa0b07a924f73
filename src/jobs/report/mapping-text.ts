import { createHash } from 'node:crypto'
import { readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isS3, readWhole } from '../../store/index.ts'
import { MIB } from '../../text/index.ts'
import type { DatasetPart } from './report-data.ts'

const MOST_FILES = 200
const MOST_BYTES = 1 * MIB
const MOST_CHARS = 20_000

/**
 * The mapping file with this hash, if it is in the working folder or beside the dataset. A file that was edited since is
 * another one.
 */
export async function findMapping(dataset: string, sha256: string): Promise<DatasetPart['mapping']> {
  const folders = new Set(['.', ...(isS3(dataset) ? [] : [dirname(dataset)])])
  for (const folder of folders) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((one) => /\.(ya?ml|json)$/i.test(one)).slice(0, MOST_FILES)) {
      const path = join(folder, name)
      const text = await textOf(path, sha256)
      if (text !== undefined)
        return { path, text: text.slice(0, MOST_CHARS), isCut: text.length > MOST_CHARS }
    }
  }
  return undefined
}

async function textOf(path: string, sha256: string): Promise<string | undefined> {
  try {
    const about = await stat(path)
    if (!about.isFile() || about.size > MOST_BYTES) return undefined
    const bytes = await readWhole(path, { mostBytes: MOST_BYTES })
    return createHash('sha256').update(bytes).digest('hex') === sha256 ? bytes.toString('utf8') : undefined
  } catch {
    // What can't be read is not the file that is looked for.
    return undefined
  }
}
