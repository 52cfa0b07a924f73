import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '../../bench/generate/random.ts'
import { S3Server, type Strike } from '../../helpers/s3-server.ts'
import type { MintOptions } from './mint.ts'

/** What is in a bucket: nothing, the state of the import, or the dataset and the state. */
export const STORES = ['disk', 'state', 's3'] as const
export type Store = (typeof STORES)[number]

/** The bucket is in memory, and so would be a dataset of so many records. */
const MOST_IN_MEMORY = 1_000_000

/** A range is never refused. */
type SoakStrike = Exclude<Strike, 'range'>

/** As in the report. */
const FAULTS: Readonly<Record<SoakStrike, string>> = {
  cut: 'answer cut off within',
  error: '503 SlowDown',
  reset: 'reset, nothing done',
  lost: 'answer lost after the write',
}

/** The store that was asked for; if none was, the seed chooses. */
export function storeOf(asked: string | undefined, { seed, records }: MintOptions): Store {
  if (asked === undefined) {
    const stores = records > MOST_IN_MEMORY ? STORES.filter((store) => store !== 's3') : STORES
    return stores[seed % stores.length]!
  }
  const store = STORES.find((one) => one === asked)
  if (store === undefined) throw new Error(`--store is ${asked}, and must be one of ${STORES.join(', ')}`)
  return store
}

/** Where a soak keeps its dataset and its state: on disk, or in a bucket that a share of the requests fail at. */
export class Places {
  readonly store: Store
  readonly #folder: string
  readonly #bucket = new S3Server({ pageSize: 100 })
  readonly #faults: Record<string, number> = {}

  private constructor(store: Store, folder: string) {
    this.store = store
    this.#folder = folder
  }

  static async start(
    store: Store,
    folder: string,
    { faults, seed }: { readonly faults: number; readonly seed: number },
  ): Promise<Places> {
    const places = new Places(store, folder)
    const random = new Random(seed)
    const bucket = places.#bucket
    bucket.strikes = (method) => {
      if (random.next() >= faults) return undefined
      const strike = random.pick(strikesOf(method))
      const fault = FAULTS[strike]
      places.#faults[fault] = (places.#faults[fault] ?? 0) + 1
      return strike
    }
    await bucket.start()
    return places
  }

  get env(): Readonly<Record<string, string>> {
    return this.#bucket.env
  }

  get dataset(): string {
    return this.store === 's3' ? this.#bucket.location('events') : 'events'
  }

  /** The state of a dataset is beside it, unless an option says otherwise. */
  get stateOptions(): readonly string[] {
    return this.store === 'state' ? ['--state', this.#bucket.location('.state')] : []
  }

  /** The requests to the bucket, and how many suffered each fault. */
  get told(): { readonly requests: number; readonly faults: Readonly<Record<string, number>> } {
    return { requests: this.#bucket.requests, faults: this.#faults }
  }

  /** The rejects of a command, as text. */
  rejects(of: 'transform' | 'import'): string {
    const inBucket = of === 'transform' ? this.store === 's3' : this.store !== 'disk'
    if (inBucket) {
      const name = of === 'transform' ? /^events\/rejects\.ndjson$/ : /^\.state\/.*\.rejects(\.\d+)?\.ndjson$/
      // The first piece has no number.
      const pieces = [...this.#bucket.objects].filter(([key]) => name.test(key))
      const order = (key: string) => Number(/\.(\d+)\.ndjson$/.exec(key)?.[1] ?? 0)
      pieces.sort(([a], [b]) => order(a) - order(b))
      return pieces.map(([, { bytes }]) => bytes.toString()).join('')
    }
    const path = join(this.#folder, of === 'transform' ? 'events/rejects.ndjson' : 'events.rejects.ndjson')
    return existsSync(path) ? readFileSync(path, 'utf8') : ''
  }

  async close(): Promise<void> {
    await this.#bucket.close()
  }
}

/** Only answers to a GET have a body that matters, and only a write can be done without an answer. */
function strikesOf(method: string): readonly SoakStrike[] {
  if (method === 'HEAD') return ['error', 'reset']
  return method === 'GET' ? ['cut', 'error', 'reset'] : ['error', 'reset', 'lost']
}
