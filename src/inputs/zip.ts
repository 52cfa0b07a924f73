import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { PosthaulError } from '../errors.ts'
import {
  ARCHIVE_CAPS,
  type ArchiveCaps,
  ArchiveError,
  type ArchiveMember,
  type ByteSource,
} from './archive.ts'

/** The files in a zip archive, in the order of its directory. Reads none of their content. */
export async function zipMembers(
  source: ByteSource,
  caps: ArchiveCaps = ARCHIVE_CAPS,
): Promise<ArchiveMember[]> {
  return damagedIfThrown(source, async () => {
    const archive = await openArchive(source)
    if (archive.entryCount > caps.members) {
      throw new ArchiveError('too-large', `${source.name} has ${archive.entryCount} members: too many`)
    }
    const members: ArchiveMember[] = []
    for await (const entry of archive.eachEntry()) {
      const name = entry.fileNameRaw.toString('utf8')
      if (!name.endsWith('/')) members.push(memberOf(entry, name, source))
    }
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
  const archive = await openArchive(source)
  const { offset, packedBytes, bytes, deflated } = member
  // The member's place is known: reading the archive's whole directory again for each member would be slow.
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

function openArchive(source: ByteSource): Promise<ZipFile> {
  // Names stay bytes: yauzl would refuse the whole archive for one like `../x`, and no name here is written to.
  const options = { decodeStrings: false, autoClose: false }
  return fromRandomAccessReaderPromise(new RangeReader(source), source.bytes, options)
}

/** A file as the bytes of an archive. */
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
    throw new ArchiveError(
      'damaged',
      `${source.name} is no whole zip archive: ${(cause as Error).message}`,
      cause,
    )
  }
}

class RangeReader extends RandomAccessReader {
  readonly #source: ByteSource

  constructor(source: ByteSource) {
    super()
    this.#source = source
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(this.#source.read({ start, end }), { objectMode: false })
  }
}
