import type { Clock } from '../../../src/http/clock.ts'
import { RateLimiter } from '../../../src/http/rate-limiter.ts'
import { Secret } from '../../../src/http/secret.ts'
import { Api } from '../../../src/service/api.ts'
import { LineTally } from '../../../src/sources/line-tally.ts'
import type { PieceCall } from '../../../src/sources/source.ts'
import { bearer, VendorClient } from '../../../src/sources/vendor-client.ts'
import { patience } from '../../helpers/patience.ts'
import { type Answer, OK } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'

/** What a client gets to ask with. */
export interface Asking {
  readonly origin: string
  /** Its waits take no time. */
  readonly clock: Clock
  readonly signal: AbortSignal
  /** For files of this one case. */
  readonly folder: string
}

/** Something that the program asks a server, and how a case asks it. */
export interface Endpoint {
  readonly name: string
  /** The requests that get the wrong answer, as `METHOD path?query`; others get the right one. */
  readonly struck: RegExp
  /**
   * `value`: what is believed can be held against what is there. `word`: the answer says no more than that it was done, so only
   * one that is the service's own may be believed.
   */
  readonly proof: 'value' | 'word'
  /** Who asks. A teller goes on whatever it is answered, and says so. */
  readonly client: 'project' | 'optional' | 'vendor' | 'delivery' | 'bucket' | 'teller'
  /** Another row has the same client, so that how its answers come is tried there. */
  readonly isLikeAnother?: boolean
  /** What is asked has a body of 8 MiB. */
  readonly isLarge?: boolean
  /** A right answer may be of any length. */
  readonly isEndless?: boolean
  /** It may come as slowly as it likes, for days. */
  readonly isUnhurried?: boolean
  /** Its bytes are anybody's: only what frames them can be wrong. */
  readonly isOpaque?: boolean
  right(request: Received): Answer
  /** What it believes of an answer that holds nothing, which nobody can tell from a right one, or where it can do without. */
  readonly nothing?: readonly unknown[]
  /** Kinds whose answers it may believe besides: nothing in them is wrong for it. */
  readonly believes?: RegExp
  /** Ends that differ from those of its client, as `kind: outcome`. */
  readonly ends?: RegExp
  /** A right answer to another question. */
  readonly other?: Answer
  /** Asks. Resolves to what the program believes then, to a verdict in words, or throws. */
  ask(asking: Asking): Promise<unknown>
}

/** What a client of the delivery says of an answer that it does not believe, as a value. */
export class Verdict {
  readonly outcome: string

  constructor(outcome: string) {
    this.outcome = outcome
  }
}

/** Kinds of answers whose status is one of success, whatever else they are. */
export const STATUS_ALONE =
  /^(?![3-9]\d\d|101|TLS|a mail|bytes of TLS|a greeting|no answer|reset before|closed before|reset in its head|closed in its head)/

export const KEY = new Secret('phx_answers', 'a test')
export const PROJECT_KEY = new Secret('phc_answers', 'a test')
export const UUID = '018d5f3e-0000-7000-8000-000000000001'
export const OTHER_UUID = '018d5f3e-0000-7000-8000-000000000002'

/** A right answer of JSON. */
export function json(value: unknown, more: Partial<Answer> = {}): Answer {
  return { ...OK, body: Buffer.from(JSON.stringify(value)), ...more }
}

/** An endpoint of the project's API, asked by `ask`. */
export function project(
  row: Pick<Endpoint, 'name' | 'struck'> & {
    readonly right: unknown | ((request: Received) => unknown)
    readonly other?: unknown
    readonly proof?: Endpoint['proof']
    readonly status?: number
    readonly project?: string
    readonly isLikeAnother?: boolean
    readonly isOptional?: boolean
    readonly nothing?: readonly unknown[]
    readonly believes?: RegExp
    ask(api: Api, asking: Asking): Promise<unknown>
  },
): Endpoint {
  const { right, other, status = 200 } = row
  return {
    name: row.name,
    struck: row.struck,
    proof: row.proof ?? 'value',
    client: row.isOptional ? 'optional' : 'project',
    isLikeAnother: row.isLikeAnother ?? false,
    right: (request) => json(typeof right === 'function' ? right(request) : right, { status }),
    ...(row.nothing && { nothing: row.nothing }),
    ...(row.believes && { believes: row.believes }),
    ...(other !== undefined && { other: json(other, { status }) }),
    ask: (asking) => withApi(asking, row.project, (api) => row.ask(api, asking)),
  }
}

async function withApi<T>(
  { origin, clock, signal }: Asking,
  projectId: string | undefined,
  ask: (api: Api) => Promise<T>,
): Promise<T> {
  const of = { source: 'cli', from: 'a test' } as const
  const api = new Api({
    settings: {
      origin: { value: origin, ...of },
      personalKey: KEY,
      projectId: projectId === undefined ? undefined : { value: projectId, ...of },
    },
    signal,
    onWait: () => undefined,
    clock,
    optionalMs: patience(200),
  })
  try {
    return await ask(api)
  } finally {
    await api.close()
  }
}

/** The longest silence of a vendor's server. */
const QUIET_MS = patience(100)
/** The budget of an export's retries. */
const RETRY_FOR_MS = 1000

/** Asks a vendor as an export does, whose pieces are retried. */
export async function withVendor<T>(
  { origin, clock, signal, folder }: Asking,
  vendor: string,
  ask: (client: VendorClient, call: PieceCall) => Promise<T>,
): Promise<T> {
  const limiter = new RateLimiter({ limits: [], clock })
  const client = new VendorClient({ vendor, origin, credentials: bearer(KEY), limiter, quietMs: QUIET_MS })
  const call: PieceCall = {
    signal,
    retry: { retryForMs: RETRY_FOR_MS, clock, random: () => 0.5, signal },
    scratch: (name) => `${folder}/${name}`,
    note: () => undefined,
    filtered: () => undefined,
    tally: new LineTally(),
  }
  try {
    return await ask(client, call)
  } finally {
    await client.close()
  }
}

export async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const page of pages) found.push(page)
  return found
}
