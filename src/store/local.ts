import { createHash } from 'node:crypto'
import { createReadStream, type Dirent, type Stats } from 'node:fs'
import { type FileHandle, link, lstat, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { MIB } from '../text/units.ts'
import { errnoOf, fileError } from './file-error.ts'
import { assertStoreName, byPartName } from './name.ts'
import { isBesideLock, isTemporaryName, makeFolder, replaceFile } from './own-file.ts'
import { readFileThrough, readWhole } from './read-file.ts'
import type { Body, ByteRange, Loaded, Put, PutCondition, Store, StoredFile } from './store.ts'

const READ_BYTES = MIB

export class LocalStore implements Store {
  readonly location: string

  constructor(location: string) {
    this.location = location
  }

  address(name: string): string {
    assertStoreName(name)
    return join(this.location, name)
  }

  async list(): Promise<StoredFile[]> {
    const files: StoredFile[] = []
    await walk(this.location, {
      async file(name, path) {
        files.push({ name, bytes: (await statIn(path)).size })
      },
    })
    return files.sort(byPartName)
  }

  async *read(name: string, range?: ByteRange): AsyncGenerator<Buffer> {
    const path = this.address(name)
    if (range && range.end <= range.start) return
    const stream = createReadStream(path, {
      highWaterMark: READ_BYTES,
      ...(range && { start: range.start, end: range.end - 1 }),
    })
    try {
      yield* stream
    } catch (error) {
      throw fileError(error, 'read', path)
    }
  }

  readThrough(name: string, range?: ByteRange): AsyncIterable<Buffer> {
    return readFileThrough(this.address(name), range?.start ?? 0, range?.end ?? Number.POSITIVE_INFINITY)
  }

  async stamp(name: string): Promise<string | undefined> {
    const path = this.address(name)
    try {
      const { ino, size, mtimeNs } = await stat(path, { bigint: true })
      return `${ino} ${size} ${mtimeNs}`
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return undefined
      throw fileError(error, 'read', path)
    }
  }

  async load(name: string): Promise<Loaded | undefined> {
    return loadFile(this.address(name))
  }

  async put(name: string, body: Body, condition?: PutCondition): Promise<Put> {
    const path = this.address(name)
    await makeFolder(dirname(path))
    let put: Put = { bytes: 0, sha256: '', version: '' }
    const write = async (file: FileHandle) => {
      put = await writeBody(file, body)
    }
    const publish = (temporary: string) => publishIf(path, temporary, condition)
    await replaceFile(path, write, publish)
    return put
  }

  async remove(name: string): Promise<void> {
    await removeFile(this.address(name))
  }

  async sweep(): Promise<void> {
    await walk(this.location, {
      async temporary(path) {
        // Those beside a lock can be of a run that waits for it: see own-file.ts.
        if (!isBesideLock(basename(path))) await removeFile(path)
      },
    })
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await rm(path, { force: true })
  } catch (error) {
    throw fileError(error, 'remove', path)
  }
}

/** The bytes of a small file, or undefined when there is none. */
export async function loadFile(path: string): Promise<Loaded | undefined> {
  try {
    const bytes = await readWhole(path)
    return { bytes, version: versionOf(bytes) }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
}

/** Moves a finished file to `path` if the condition holds, else throws `lostRace`. */
export async function publishIf(path: string, temporary: string, condition?: PutCondition): Promise<void> {
  if (condition === undefined) return rename(temporary, path)
  if (condition === 'absent') {
    // A link fails when the name is taken; a rename would replace it.
    await link(temporary, path).catch((error) => {
      throw errnoOf(error) === 'EEXIST' ? lostRace(path) : error
    })
    return rm(temporary)
  }
  await ifStill(path, condition.version, () => rename(temporary, path))
}

/** Removes a file if it still has this version, else throws `lostRace`. */
export async function removeIf(path: string, version: string): Promise<void> {
  await ifStill(path, version, () => rm(path))
}

async function ifStill(path: string, version: string, change: () => Promise<void>): Promise<void> {
  // Loaded only here: every worker of a transform opens a store, and none of them writes on a condition.
  const { underMutex } = await import('./mutex.ts')
  await underMutex(join(dirname(path), `.${basename(path).replace(/^\./, '')}.lock`), async () => {
    if ((await loadFile(path))?.version !== version) throw lostRace(path)
    await change()
  })
}

/** The error of a put whose condition no longer holds: another writer was first. */
export function lostRace(path: string, cause?: unknown): PosthaulError {
  return new PosthaulError(`another run has changed ${path} meanwhile`, {
    code: 'mismatch',
    hint: 'let only one run write to a dataset at a time, then run the same command again',
    cause,
  })
}

async function writeBody(file: FileHandle, body: Body): Promise<Put> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of body instanceof Uint8Array ? [body] : body) {
    hash.update(chunk)
    bytes += chunk.length
    await writeAll(file, chunk)
  }
  const digest = hash.digest('hex')
  return { bytes, sha256: digest, version: digest }
}

// One write call may write less than it is given.
async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten
}

export function versionOf(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

async function statIn(path: string): Promise<Stats> {
  try {
    return await stat(path)
  } catch (error) {
    throw fileError(error, 'list', path)
  }
}

/** Is called with the files below a folder: those that are whole, and those that become one. */
interface Visitor {
  file?(name: string, path: string): Promise<void>
  temporary?(path: string): Promise<void>
}

/** Visits the files below a folder. `above` holds the real paths of the folders above: a link to one is a circle. */
async function walk(
  folder: string,
  visitor: Visitor,
  prefix = '',
  above: readonly string[] = [],
): Promise<void> {
  let real: string
  let entries: Dirent[]
  try {
    real = await realpath(folder)
    if (above.includes(real)) return
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    if (prefix === '' && errnoOf(error) === 'ENOENT') return
    throw fileError(error, 'list', folder)
  }
  for (const entry of entries) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) {
      if (isTemporaryName(entry.name)) await visitor.temporary?.(path)
      continue
    }
    await assertReadable(path, entry.name)
    // A link that leads nowhere is a file that is missing: it must not end the list as if that were all.
    const kind = entry.isSymbolicLink() ? await statIn(path) : entry
    if (kind.isDirectory()) await walk(path, visitor, `${prefix}${entry.name}/`, [...above, real])
    else if (kind.isFile()) await visitor.file?.(`${prefix}${entry.name}`, path)
    else if (visitor.file) {
      throw new PosthaulError(`${path} is a pipe, a socket or a device, and has no content to keep`, {
        code: 'input',
        hint: 'move it out of the folder',
      })
    }
  }
}

/** Node reads a name that is not UTF-8 with U+FFFD in it, and under that name there is no file. Code `input` for it. */
async function assertReadable(path: string, name: string): Promise<void> {
  if (!name.includes('\ufffd')) return
  const isThere = await lstat(path).then(
    () => true,
    () => false,
  )
  if (isThere) return
  throw new PosthaulError(`cannot read ${path}: its name is not UTF-8`, {
    code: 'input',
    hint: 'rename the file, or move it out of the folder',
  })
}
