import { setTimeout as sleep } from 'node:timers/promises'
import { inspect, isDeepStrictEqual } from 'node:util'
import { PosthaulError } from '../../../src/errors.ts'
import { makeFolder } from '../../helpers/folder.ts'
import { patience } from '../../helpers/patience.ts'
import { SleepyClock } from '../../helpers/sleepy-clock.ts'
import type { Kind } from '../answers.ts'
import type { Answer } from '../kit/action.ts'
import { AnyServer } from '../kit/any-server.ts'
import { type Endpoint, Verdict } from './endpoint.ts'

/** What came of a wrong answer. */
export interface Tried {
  /** `right`: what is there was believed; `WRONG`: something else; `HANGS`; `BUG`; else how the client gave up. */
  readonly outcome: string
  readonly value: unknown
  readonly error?: unknown
  /** Requests that were struck. */
  readonly struck: number
  /** By the client's clock. */
  readonly waitedMs: number
  /** Bytes of the answers. */
  readonly written: number
}

/** A case that takes longer hangs. */
const LIMIT_MS = patience(20_000)
/** An hour, the longest that a service may ask to wait for, for each try. */
const MOST_WAIT_MS = 8 * 3_700_000

/** Whether a kind is tried on an endpoint. */
export function isTried(endpoint: Endpoint, kind: Kind): boolean {
  if (endpoint.isEndless && kind.name === '10 GB') return false
  if (endpoint.isUnhurried && kind.name === 'a drip without an end') return false
  return kind.of !== 'wire' || !endpoint.isLikeAnother
}

/** Asks an endpoint which answers so wrong, the first `times` times, and right then. */
export async function attempt(
  endpoint: Endpoint,
  kind: Kind | undefined,
  truth: unknown,
  times = Number.POSITIVE_INFINITY,
): Promise<Tried> {
  let struck = 0
  let first: Answer | undefined
  const server = await new AnyServer((request) => {
    const right = endpoint.right(request)
    const isMeant = endpoint.struck.test(`${request.method} ${request.path}`)
    if (!isMeant || kind === undefined || struck >= times) return { answer: right }
    if (kind.repeats && first === undefined) {
      first = right
      return { answer: right }
    }
    const action = kind.repeats ? { answer: first! } : kind.act(right, endpoint)
    if (action === undefined) return { answer: right }
    struck++
    return action
  }, kind?.greeting).start()
  const clock = new SleepyClock()
  const over = new AbortController()
  const asked = endpoint.ask({
    origin: `${kind?.tls ? 'https' : 'http'}://${server.host}`,
    clock,
    signal: over.signal,
    folder: makeFolder(),
  })
  const result = (outcome: string, value?: unknown, error?: unknown): Tried => {
    const waitedMs = clock.now()
    const late = waitedMs > MOST_WAIT_MS ? 'WAITS' : outcome
    return {
      outcome: late,
      value,
      ...(error !== undefined && { error }),
      struck,
      waitedMs,
      written: server.written,
    }
  }
  const late = sleep(LIMIT_MS, 'late', { signal: over.signal, ref: false }).catch(() => 'late')
  try {
    const value = await Promise.race([asked, late])
    if (value === 'late') return result('HANGS')
    if (value instanceof Verdict) return result(value.outcome)
    if (kind && struck === 0 && kind.greeting === undefined) return result('-')
    return result(isDeepStrictEqual(value, truth) ? 'right' : 'WRONG', value)
  } catch (error) {
    return result(outcomeOf(error, struck), undefined, error)
  } finally {
    over.abort()
    server.stop()
    asked.catch(() => undefined)
  }
}

/** How a client that gives up ends, by who asks, where no row says otherwise. */
const ENDS: Readonly<Record<'key' | 'passes', Partial<Record<Endpoint['client'], RegExp>>>> = {
  key: { project: /4$/, optional: /^4$/, vendor: /^4$/, delivery: /^fatal$/, bucket: /^4$/ },
  passes: { project: /^again, 5$/, optional: /^5$/, vendor: /^again, 5$/, delivery: /^retry$/, bucket: /5$/ },
}
const KEY_REFUSED = /^40[13]$/
const PASSES = /^(?:408|429|50[0123]|599)$|^(?:reset|closed) (?:before|in)|^no answer$|^silence/

/** What is wrong with what came of a case; undefined if nothing is. */
export function problemOf(
  endpoint: Endpoint,
  kind: Kind,
  { outcome, value, error }: Tried,
): string | undefined {
  const { believes, nothing = [], proof, client } = endpoint
  const mayBelieve =
    kind.sound || believes?.test(kind.name) || nothing.some((one) => isDeepStrictEqual(one, value))
  const shown = () => `${outcome}: ${inspect(value ?? error, { depth: 4 }).slice(0, 600)}`
  if (['BUG', 'HANGS', 'WAITS', 'WRONG'].includes(outcome))
    return outcome === 'WRONG' && mayBelieve ? undefined : shown()
  if (outcome === '-') return undefined
  if (outcome === 'right') return proof === 'value' || mayBelieve ? undefined : shown()
  const wanted = KEY_REFUSED.test(kind.name)
    ? ENDS.key[client]
    : PASSES.test(kind.name)
      ? ENDS.passes[client]
      : undefined
  return wanted === undefined || wanted.test(outcome) || endpoint.ends?.test(`${kind.name}: ${outcome}`)
    ? undefined
    : shown()
}

function outcomeOf(error: unknown, struck: number): string {
  if (!(error instanceof PosthaulError)) return 'BUG'
  const again = struck > 1 ? 'again, ' : ''
  return `${again}${error.fate === 'reject' ? 'refused ' : ''}${error.exitCode}`
}
