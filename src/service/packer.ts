import { constants, createGzip, type Gzip } from 'node:zlib'
import pLimit from 'p-limit'
import { GZIP, KIB } from '../units.ts'

const OPTIONS = { ...GZIP, chunkSize: 256 * KIB }
// As many as libuv has threads: more would only hold memory while they wait.
const AT_ONCE = 4

/** `reset` works for gzip as it does for deflate, which is all that its types know. */
export type Compressor = Gzip & { reset(): void }

/**
 * Packs request bodies with gzip, on the thread pool. Its compressors serve one body after another: a new one for each
 * is half a megabyte of memory that the collector hears of, and a twentieth of an import went into collecting.
 */
export class Packer {
  readonly #limit = pLimit(AT_ONCE)
  readonly #idle: Compressor[] = []
  readonly #create: () => Compressor

  /** For tests: compressors that fail. */
  constructor(create = () => createGzip(OPTIONS) as Compressor) {
    this.#create = create
  }

  /** The body as one gzip member. */
  pack(body: Buffer): Promise<Buffer> {
    return this.#limit(async () => {
      const gzip = this.#idle.pop() ?? this.#create()
      // One that failed is not used again.
      const packed = await member(gzip, body)
      this.#idle.push(gzip)
      return packed
    })
  }
}

function member(gzip: Compressor, body: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const take = (chunk: Buffer) => void chunks.push(chunk)
    gzip.on('data', take).once('error', reject)
    gzip.write(body)
    // A compressor that fails is destroyed, and this called all the same: with the error, and nothing to reset.
    gzip.flush(constants.Z_FINISH, (error?: Error | null) => {
      if (error) return reject(error)
      gzip.off('data', take).off('error', reject)
      gzip.reset()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
  })
}
