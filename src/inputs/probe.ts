import { basename } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { gunzipHead, isGzip } from '../store/index.ts'
import { KIB } from '../text/index.ts'
import { decodedHead } from './decode.ts'
import { recogniseFormat } from './detect-format.ts'
import { atPlace, type Compression, type InputFile } from './input-file.ts'
import type { FileStat } from './locate.ts'
import { archiveSource, gzipError, headOf, type Stored } from './open-bytes.ts'
import { tableOf } from './table-name.ts'

const HEAD_BYTES = 64 * KIB
/** A packed head is shorter, since it may unpack to a thousand times its size. */
const PACKED_HEAD_BYTES = 16 * KIB

/** A file found but not read yet. */
export interface UnreadFile extends FileStat {
  readonly path: string
  readonly name: string
  /** See `InputFile.table`. Of an archive's file the path in it says more. */
  readonly table?: string | undefined
}

/** Tells what a file is by its content: one input, or each file of a zip archive. Code `input` for other content. */
export async function probeInput(found: UnreadFile): Promise<InputFile[]> {
  const head = await headOf(found, HEAD_BYTES)
  if (head.toString('latin1', 0, 4) !== 'PK\x03\x04') return [await tell(found, head)]
  // Loaded only for archives: see open-bytes.ts.
  const { zipMembers } = await import('./zip.ts')
  const inputs: InputFile[] = []
  for (const one of await zipMembers(archiveSource(found, found.size))) {
    if (isBesides(one.name)) continue
    const member = { ...one, archiveBytes: found.size }
    const name = `${found.name}/${one.name}`
    const table = tableOf(`${basename(found.name)}/${one.name}`.replace(/\.zip\//i, '/'))
    const packed = { ...found, name, table, size: one.packedBytes, member }
    inputs.push(await tell(packed, await headOf(packed, HEAD_BYTES)))
  }
  if (inputs.length > 0) return inputs
  throw new PosthaulError(`${found.path} is a zip archive with no files in it`, {
    code: 'input',
    hint: 'check that it was downloaded whole',
  })
}

async function tell(found: UnreadFile & Pick<InputFile, 'member'>, start: Buffer): Promise<InputFile> {
  const { compression, head } = await unpackedHead(found, start)
  const { text, ...spelled } = inUtf8(head)
  const content = recogniseFormat(text, found.name)
  if ('what' in content) {
    const where = found.member ? `${found.path}: ${found.member.name}` : found.path
    throw new PosthaulError(`${where} ${content.what}`, { code: 'input', hint: content.hint })
  }
  // The records of a rejects file bring the table of the file that they came from.
  const { name, table, size, mtimeMs, etag, member } = found
  const named = table !== undefined && !content.rejects && { table }
  // By name: of "the rest" the engine makes a class for each object, which took 320 bytes a file, more than the file's own.
  return atPlace(found, {
    name,
    size,
    mtimeMs,
    ...(etag !== undefined && { etag }),
    ...(member && { member }),
    ...named,
    ...spelled,
    compression,
    ...content,
  })
}

/** Pairs of a NUL and a Western character: in fewer of all, it is no text in UTF-16, or one of a script without blanks. */
const FEWEST_PAIRS = 0.1

/**
 * The head of a file in UTF-8, and what it was in. A byte order mark says so. Without one it is told by NUL in every other
 * place, which no other text has; blanks and digits have it in any language.
 */
function inUtf8(head: Buffer): { readonly text: Buffer } & Pick<InputFile, 'encoding' | 'isMarked'> {
  const start = head.toString('latin1', 0, 3)
  if (start === '\xef\xbb\xbf') return { text: head, isMarked: true }
  const marked = start.startsWith('\xff\xfe')
    ? 'utf-16le'
    : start.startsWith('\xfe\xff')
      ? 'utf-16be'
      : undefined
  const isBinary = start === 'PAR' || start === 'Obj'
  const encoding = marked ?? (isBinary ? undefined : wideEncoding(head))
  if (!encoding) return { text: head }
  return { text: decodedHead(head, encoding), encoding, ...(marked && { isMarked: true }) }
}

function wideEncoding(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const nul = [0, 0]
  for (let at = 0; at < head.length - 1; at++) {
    if (head[at] !== 0) continue
    if (!/[\t\r\n -~\u00a0-\u00ff]/.test(String.fromCharCode(head[at ^ 1]!))) return undefined
    nul[at % 2]!++
  }
  const [even, odd] = nul as [number, number]
  if (even + odd === 0) return undefined
  if (2 * (even + odd) < FEWEST_PAIRS * head.length || (even > 0 && odd > 0)) return undefined
  return odd > 0 ? 'utf-16le' : 'utf-16be'
}

async function unpackedHead(
  found: Stored & Pick<UnreadFile, 'name'>,
  start: Buffer,
): Promise<{ readonly compression: Compression; readonly head: Buffer }> {
  if (isGzip(start) || (start.length === 0 && found.name.endsWith('.gz'))) {
    return { compression: 'gzip', head: gzipHead(start.subarray(0, PACKED_HEAD_BYTES), found.path) }
  }
  // Only the name can say so: brotli data has no mark.
  if (!found.name.endsWith('.br')) return { compression: 'none', head: start }
  return { compression: 'brotli', head: await headOf({ ...found, compression: 'brotli' }, HEAD_BYTES) }
}

function gzipHead(start: Buffer, path: string): Buffer {
  try {
    return gunzipHead(start)
  } catch (error) {
    throw gzipError(error, path)
  }
}

/** True for what archivers add to the files: resource forks of a Mac, hidden files. */
function isBesides(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(?:^|\/)\.[^./]/.test(name)
}
