import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { Entry, fromRandomAccessReaderPromise, RandomAccessReader, ZipFile } from 'yauzl'
import { PosthaulError } from '../errors.ts'
import type { ByteRange } from '../store/store.ts'
import { KIB } from '../text/units.ts'
import {
  ARCHIVE_CAPS,
  type ArchiveCaps,
  ArchiveError,
  type ArchiveMember,
  type ByteSource,
} from './archive.ts'

const KEPT_BYTES = 64 * KIB

/** A member's own header has so many bytes, and its name, before what is packed. */
const HEADER_BYTES = 30

const ENTRY = 'PK\x01\x02'

/** The files in a zip archive, in the order of its directory. Reads none of their content. */
export async function zipMembers(
  source: ByteSource,
  caps: ArchiveCaps = ARCHIVE_CAPS,
): Promise<ArchiveMember[]> {
  return damagedIfThrown(source, async () => {
    // Names stay bytes: yauzl would refuse the whole archive for one like `../x`, and no name here is written to.
    const options = { decodeStrings: false, autoClose: false }
    const archive = await fromRandomAccessReaderPromise(new RangeReader(source), source.bytes, options)
    if (archive.entryCount > caps.members) {
      throw new ArchiveError('too-large', `${source.name} has ${archive.entryCount} members: too many`)
    }
    const members: ArchiveMember[] = []
    /** Bytes of the archive that each takes at least, its header included. */
    const places: ByteRange[] = []
    for await (const entry of archive.eachEntry()) {
      const name = entry.fileNameRaw.toString('utf8')
      const start = entry.relativeOffsetOfLocalHeader
      places.push({ start, end: start + HEADER_BYTES + entry.fileNameLength + entry.compressedSize })
      if (!name.endsWith('/')) members.push(memberOf(entry, name, source))
    }
    assertApart(places, source)
    await assertDirectoryEnds(source, Number(archive.readEntryCursor))
    return members
  })
}

/** A member's bytes, unpacked; size and checksum are checked at the end. */
export async function* readMember(source: ByteSource, member: ArchiveMember): AsyncGenerator<Buffer> {
  const stream = await damagedIfThrown(source, () => openMember(source, member))
  const pieces = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]()
  let sum = 0
  try {
    for (;;) {
      const next = await damagedIfThrown(source, () => pieces.next())
      if (next.done) break
      sum = crc32(next.value, sum)
      yield next.value
    }
  } finally {
    stream.destroy()
  }
  if (sum !== member.crc32) {
    throw new ArchiveError('damaged', `${source.name}: the checksum of ${member.name} does not match`)
  }
}

/**
 * Refuses a directory with more entries than its count: the count has 16 bits, and some programs let it overflow. The
 * files after the count would be left out in silence.
 */
async function assertDirectoryEnds(source: ByteSource, at: number): Promise<void> {
  const end = at + ENTRY.length
  if (end > source.bytes) return
  let after = ''
  for await (const chunk of source.read({ start: at, end })) after += chunk.toString('latin1')
  if (after === ENTRY) throw new Error('its directory has more entries than it says')
}

/** Refuses members that share bytes: a small archive of these unpacks to as many times its size as it has members. */
function assertApart(places: ByteRange[], { name }: ByteSource): void {
  places.sort((a, b) => a.start - b.start)
  if (places.every(({ end }, at) => end <= (places[at + 1]?.start ?? Number.POSITIVE_INFINITY))) return
  throw new ArchiveError('too-large', `${name} has members that overlap: refused as a bomb`)
}

function memberOf(entry: Entry, name: string, source: ByteSource): ArchiveMember {
  if (!entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? 'encrypted' : `packed by method ${entry.compressionMethod}`
    throw new PosthaulError(`${source.name}: ${name} is ${why}`, {
      code: 'input',
      hint: 'unpack the archive by hand, and name the folder',
    })
  }
  return {
    name,
    offset: entry.relativeOffsetOfLocalHeader,
    packedBytes: entry.compressedSize,
    bytes: entry.uncompressedSize,
    deflated: entry.compressionMethod === 8,
    crc32: entry.crc32,
  }
}

async function openMember(source: ByteSource, member: ArchiveMember): Promise<Readable> {
  const { offset, packedBytes, bytes, deflated } = member
  // The member's place is known: looking for the archive's directory again for each member would be slow.
  const archive = new ZipFile(new RangeReader(source), 0, source.bytes, 0, '', false, true, false, true)
  const entry = Object.assign(new Entry(), {
    relativeOffsetOfLocalHeader: offset,
    compressedSize: packedBytes,
  })
  const { fileDataStart } = await archive.readLocalFileHeaderPromise(entry, { minimal: true })
  return new Promise((resolve, reject) => {
    const done = (error: Error | null, stream: Readable) => (error ? reject(error) : resolve(stream))
    archive.openReadStreamLowLevel(fileDataStart, packedBytes, 0, packedBytes, deflated, bytes, done)
  })
}

export async function fileSource(path: string): Promise<ByteSource> {
  const { size } = await stat(path)
  return {
    name: path,
    bytes: size,
    // createReadStream's `end` is the last byte read, so an empty range needs a case of its own.
    read: ({ start, end }) =>
      end > start ? createReadStream(path, { start, end: end - 1 }) : Readable.from([]),
  }
}

async function damagedIfThrown<T>(source: ByteSource, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (cause) {
    // A wrong call is a bug, not damage.
    if (cause instanceof PosthaulError || cause instanceof TypeError) throw cause
    const why = (cause as Error).message
    throw new ArchiveError('damaged', `${source.name} is no whole zip archive: ${why}`, cause)
  }
}

/** Gives yauzl the archive's bytes. It asks for a few at a time, so some more are read and kept: a stream for each is slow. */
class RangeReader extends RandomAccessReader {
  readonly #source: ByteSource
  #kept: { readonly start: number; readonly bytes: Buffer } = { start: 0, bytes: Buffer.alloc(0) }

  constructor(source: ByteSource) {
    super()
    this.#source = source
  }

  override read(
    into: Buffer,
    offset: number,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void {
    this.#bytes(position, position + length).then(
      (bytes) => {
        bytes.copy(into, offset)
        done(null)
      },
      (error: Error) => done(error),
    )
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read({ start, end }), { objectMode: false })
  }

  async #bytes(start: number, end: number): Promise<Buffer> {
    const { bytes } = this.#source
    if (end > bytes) throw new Error('it points beyond its end')
    const kept = this.#kept
    const isKept = start >= kept.start && end <= kept.start + kept.bytes.length
    if (!isKept) {
      const chunks: Buffer[] = []
      const range = { start, end: Math.min(bytes, Math.max(end, start + KEPT_BYTES)) }
      for await (const chunk of this.#source.read(range)) chunks.push(chunk)
      this.#kept = { start, bytes: Buffer.concat(chunks) }
    }
    return this.#kept.bytes.subarray(start - this.#kept.start, end - this.#kept.start)
  }
}
