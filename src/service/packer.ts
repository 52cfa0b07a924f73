import { constants, createGzip, type Gzip } from 'node:zlib'
import pLimit from 'p-limit'
import { GZIP, KIB } from '../text/index.ts'

const OPTIONS = { ...GZIP, chunkSize: 256 * KIB }
// libuv has this many threads. More compressors would only hold memory while they wait.
const AT_ONCE = 4

/** `reset` works for gzip too, but its types have it only for deflate. */
export type Compressor = Gzip & { reset(): void }

/**
 * Packs request bodies with gzip, on the thread pool. Its compressors are reused: a new one for each body takes half a
 * megabyte, and collecting that memory took a twentieth of an import's time.
 */
export class Packer {
  readonly #limit = pLimit(AT_ONCE)
  readonly #idle: Compressor[] = []
  readonly #create: () => Compressor

  /** Tests pass compressors that fail. */
  constructor(create = () => createGzip(OPTIONS) as Compressor) {
    this.#create = create
  }

  /** The body as one gzip member. */
  pack(body: Buffer): Promise<Buffer> {
    return this.#limit(async () => {
      const gzip = this.#idle.pop() ?? this.#create()
      // A compressor that fails does not come back to `#idle`.
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
    // If the compressor fails, this is called too, with the error. The compressor is destroyed then: no reset.
    gzip.flush(constants.Z_FINISH, (error?: Error | null) => {
      if (error) return reject(error)
      gzip.off('data', take).off('error', reject)
      gzip.reset()
      resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks))
    })
  })
}
