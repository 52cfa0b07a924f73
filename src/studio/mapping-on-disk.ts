import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { PosthaulError } from '../errors.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { replaceFile } from '../store/own-file.ts'
import { readWhole, utf8Of } from '../store/read-file.ts'
import { MIB } from '../text/units.ts'

/** As the reader of mapping files has it. */
export const MOST_MAPPING_BYTES = 4 * MIB

/** The mapping file as it was read. */
export interface SavedMapping {
  readonly yaml: string
  /** sha256 of its bytes. */
  readonly digest: string
}

/** Undefined where there is no such file. Code `input` for what is not an ordinary file. */
export async function readMapping(path: string): Promise<SavedMapping | undefined> {
  try {
    const bytes = await readWhole(path, { mostBytes: MOST_MAPPING_BYTES })
    return { yaml: utf8Of(bytes, path), digest: digestOf(bytes) }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read the mapping file', path)
  }
}

/**
 * Replaces the file, or makes it, so that a reader finds the old text or the new one, whole. It keeps its mode, and where
 * the path is a link, the link; line ends stay those of the file. `digest`: what the file held when it was read, null for no
 * file. Code `mismatch` if it holds something else by now: somebody edits it elsewhere.
 */
export async function saveMapping(path: string, yaml: string, digest: string | null): Promise<SavedMapping> {
  const there = await readMapping(path)
  if ((there?.digest ?? null) !== digest) {
    throw new PosthaulError(`${path} has changed since it was read`, {
      code: 'mismatch',
      hint: 'load what is there, or save a copy of your text elsewhere first',
    })
  }
  const text = there?.yaml.includes('\r\n') ? yaml.replaceAll(/\r?\n/g, '\r\n') : yaml
  const bytes = Buffer.from(text)
  const target = there ? await realpath(path) : path
  const mode = there ? (await stat(target)).mode & 0o777 : undefined
  await replaceFile(target, async (file) => {
    await file.writeFile(bytes)
    if (mode !== undefined) await file.chmod(mode)
  })
  return { yaml: text, digest: digestOf(bytes) }
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex')
}
