import { isUtf8 } from 'node:buffer'
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { PosthaulError } from '../errors.ts'
import { KIB, MIB } from '../text/units.ts'
import { errnoOf, fileError } from './file-error.ts'

const READ_BYTES = 64 * 1024
const MOST_BYTES = 256 * MIB
const LOOK_MS = 20
/** How long a pipe may have no writer. */
const UNWRITTEN_MS = 3_000
/** How long a pipe's writer may be silent: it may be asking a person for a passphrase. */
const SILENT_MS = 60_000

interface ReadWhole {
  /** The most bytes that such a file can have. */
  readonly mostBytes?: number
  /** True if it may be a pipe, as a shell makes for `<(…)`. */
  readonly pipe?: boolean
  /** Throws if the file is not to be read. It is asked about the open file, which no one can swap afterwards. */
  readonly assert?: (stats: Stats) => void
}

/**
 * Reads a small file whole. It never hangs: opening a pipe that nobody writes to would wait for ever, on a thread that
 * no signal reaches, and /dev/full has no end. Throws the system's own error, or code `input` for what is no ordinary
 * file or too large.
 */
export async function readWhole(
  path: string,
  { mostBytes = MOST_BYTES, pipe = false, assert }: ReadWhole = {},
): Promise<Buffer> {
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await file.stat()
    assert?.(stats)
    // A read of a folder says EISDIR, which is clearer.
    if (!pipe && !stats.isFile() && !stats.isDirectory()) {
      throw new PosthaulError(`${path} is not an ordinary file`, {
        code: 'input',
        hint: 'name an ordinary file',
      })
    }
    return await readAll(path, file, mostBytes, stats.isFIFO())
  } finally {
    await file.close()
  }
}

async function readAll(path: string, file: FileHandle, mostBytes: number, isPipe: boolean): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  let heardAt = performance.now()
  for (;;) {
    const room = Buffer.allocUnsafe(READ_BYTES)
    const read = await readSome(file, room)
    if (read > 0) {
      chunks.push(room.subarray(0, read))
      bytes += read
      if (bytes > mostBytes) throw tooLarge(path, mostBytes)
      heardAt = performance.now()
      continue
    }
    const unwritten = isPipe && bytes === 0
    if (read === 0 && !unwritten) return Buffer.concat(chunks)
    if (performance.now() - heardAt > (read === 0 ? UNWRITTEN_MS : SILENT_MS)) throw silent(path)
    await sleep(LOOK_MS)
  }
}

/** How many bytes were read: 0 at the end, or without a writer; -1 if the writer has not written yet. */
async function readSome(file: FileHandle, room: Buffer): Promise<number> {
  try {
    return (await file.read(room, 0, room.length, null)).bytesRead
  } catch (error) {
    if (errnoOf(error) === 'EAGAIN') return -1
    throw error
  }
}

function tooLarge(path: string, mostBytes: number): PosthaulError {
  return new PosthaulError(
    `${path} is larger than ${mostBytes / MIB} MiB, so it can't be what it was named for`,
    {
      code: 'input',
      hint: 'check the path',
    },
  )
}

function silent(path: string): PosthaulError {
  return new PosthaulError(`${path} is a pipe, and nothing writes to it`, {
    code: 'input',
    hint: 'name an ordinary file, or start what writes to the pipe first',
  })
}

/** The text of a file that people write. Code `config` where it is not UTF-8: names in it would match nothing. */
export function utf8Of(bytes: Buffer, path: string): string {
  if (isUtf8(bytes)) return bytes.toString('utf8')
  throw new PosthaulError(`${path} is no text in UTF-8`, { code: 'config', hint: 'save it as UTF-8' })
}

/** The text of a small file of settings. Code `config`, with this message and hint, where there is none. */
export async function readNamed(path: string, missing: string, hint: string): Promise<string> {
  try {
    return utf8Of(await readWhole(path, { mostBytes: MIB, pipe: true }), path)
  } catch (cause) {
    if (errnoOf(cause) !== 'ENOENT') throw fileError(cause, 'read', path)
    throw new PosthaulError(missing, { code: 'config', hint, cause })
  }
}

/** At most so many bytes of a file's beginning. Throws the system's own error. */
export async function readSpan(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}

const CHUNK_BYTES = 512 * KIB
/** Chunks that no reader has. A transform reads hundreds of ranges one after the other. */
const spare: Buffer[] = []

/**
 * A local file's bytes from `start` to `end`, or to the file's end if that comes first, through two buffers: a chunk's
 * bytes are gone when the next one is asked for. The next chunk is read while one is worked on. New memory for every
 * chunk would cost more than the reading.
 */
export async function* readFileThrough(path: string, start: number, end: number): AsyncGenerator<Buffer> {
  if (end <= start) return
  let [chunk, next] = [takeChunk(), takeChunk()]
  const reading = <T>(act: Promise<T>) =>
    act.catch((error: unknown) => {
      throw fileError(error, 'read', path)
    })
  const file = await reading(open(path, 'r'))
  try {
    let at = start
    let coming = fill(file, chunk, at, end)
    for (;;) {
      const length = await reading(coming)
      if (length === 0) return
      at += length
      coming = fill(file, next, at, end)
      yield chunk.subarray(0, length)
      ;[chunk, next] = [next, chunk]
    }
  } finally {
    // It waits for a read that is under way.
    await file.close()
    spare.push(chunk, next)
  }
}

function takeChunk(): Buffer {
  return spare.pop() ?? Buffer.allocUnsafeSlow(CHUNK_BYTES)
}

/** Bytes read at `at`; 0 at the end. A failure reaches the caller when it awaits the result. */
function fill(file: FileHandle, chunk: Buffer, at: number, end: number): Promise<number> {
  const wanted = Math.min(chunk.length, end - at)
  if (wanted === 0) return Promise.resolve(0)
  const read = file.read(chunk, 0, wanted, at).then(({ bytesRead }) => bytesRead)
  read.catch(() => undefined)
  return read
}
