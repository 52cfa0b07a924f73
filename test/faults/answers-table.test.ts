import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { S3Client } from '@aws-sdk/client-s3'
import pLimit from 'p-limit'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { Transport } from '../../src/http/transport.ts'
import { ROOT } from '../helpers/markdown.ts'
import { patience } from '../helpers/patience.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { KINDS } from './answers.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import { ENDPOINTS } from './endpoints/endpoints.ts'
import { attempt, isTried, problemOf } from './endpoints/try.ts'
import { chosen } from './kit/chosen.ts'

/*
 * Each endpoint that the program asks, by each kind of wrong answer, in this process, over real sockets. A client may ask again,
 * stop, refuse, or go on with a note. It may not crash, hang, wait for days, or believe what is not so.
 */
const random = seeded(seedOf('answers'))
const FEW = 9
/** Where each case takes 8 MiB. */
const FEW_LARGE = 4
const AT_ONCE = 24
/** Cases that are tried a second time, alone. */
const MOST_AGAIN = 12
/** Deadlines of a minute and two, those of the project's API and of what is sent, are this much shorter. */
const DEADLINES = 400
/** A fault that passes, after which the right answer comes. */
const PASSING = KINDS.filter(({ name }) => ['503', 'reset before it', 'closed in its body'].includes(name))

/** Lines of the source that have asked something, as `src/service/query.ts:31`, and commands to buckets. */
const reached = new Set<string>()
const truths = new Map<Endpoint, unknown>()
const tried = new Map<Endpoint, { readonly kinds: number; readonly problems: string[] }>()
const limit = pLimit(AT_ONCE)

function noteCallers(): void {
  const { stream } = Transport.prototype
  Error.stackTraceLimit = 100
  vi.spyOn(Transport.prototype, 'stream').mockImplementation(function (this: Transport, request) {
    for (const [, file, line] of new Error('here').stack!.matchAll(/(src\/[^\s:()?]+\.ts)[^:]*:(\d+):\d+/g))
      reached.add(`${file}:${line}`)
    return stream.call(this, request)
  })
  const { send } = S3Client.prototype
  vi.spyOn(S3Client.prototype, 'send').mockImplementation(function (this: S3Client, ...args) {
    reached.add(args[0].constructor.name)
    return send.apply(this, args)
  })
}

/** Says what is wrong with what comes of a case. */
type Look = () => Promise<string | undefined>

/** Cases that went wrong beside many others: on a busy machine an answer can be too late for a deadline. */
const suspects: { readonly endpoint: Endpoint; readonly look: Look; readonly problem: string }[] = []

async function triedOn(endpoint: Endpoint) {
  const truth = truths.get(endpoint)
  const meant = KINDS.filter((kind) => isTried(endpoint, kind))
  const cases = chosen(meant, endpoint.isLarge ? FEW_LARGE : FEW, random).map(
    (kind): Look =>
      async () => {
        const problem = problemOf(endpoint, kind, await attempt(endpoint, kind, truth))
        return problem && `${kind.name}: ${problem}`
      },
  )
  const passing = endpoint.client === 'project' || endpoint.client === 'vendor' ? PASSING : []
  const passed = passing.map(
    (kind): Look =>
      async () => {
        const { outcome, error } = await attempt(endpoint, kind, truth, 1)
        return outcome === 'right' || outcome === '-'
          ? undefined
          : `once ${kind.name}: ${outcome} ${String(error)}`
      },
  )
  const looks = [...cases, ...passed]
  const tryOne = async (look: Look) => {
    const problem = await look()
    if (problem !== undefined) suspects.push({ endpoint, look, problem })
  }
  await Promise.all(looks.map((look) => limit(tryOne, look)))
  tried.set(endpoint, { kinds: meant.length, problems: [] })
}

beforeAll(async () => {
  for (const [name, value] of Object.entries({
    ACCESS_KEY_ID: 'AKID',
    SECRET_ACCESS_KEY: 's',
    REGION: 'us-east-1',
  }))
    vi.stubEnv(`AWS_${name}`, value)
  noteCallers()
  for (const endpoint of ENDPOINTS)
    truths.set(endpoint, (await attempt(endpoint, undefined, undefined)).value)
  // Who asks is known by the right answers: the stacks of all wrong ones would take an eighth of the time.
  vi.restoreAllMocks()
  Error.stackTraceLimit = 10
  const real = setTimeout
  const shorter = (ms: number) => (ms === 60_000 || ms === 120_000 ? patience(ms / DEADLINES) : ms)
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, ms = 0, ...more: []) =>
    real(run, shorter(ms), ...more)) as never)
  await Promise.all(ENDPOINTS.map(triedOn))
  for (const [nth, { endpoint, look, problem }] of suspects.entries()) {
    const alone = nth < MOST_AGAIN ? await look() : problem
    if (alone !== undefined) tried.get(endpoint)!.problems.push(alone)
  }
}, patience(600_000))
afterAll(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

test.each(ENDPOINTS)('$name: no wrong answer is believed, and none is a bug', (endpoint) => {
  const { kinds, problems } = tried.get(endpoint)!
  expect(problems).toEqual([])
  expect(kinds).toBeGreaterThan(10)
})

/** Lines of the source that ask a server something, and the commands that buckets are given. */
function callsOf(): string[] {
  const calls: string[] = []
  const asks =
    /\bapi\.(?:get|post|query|make|change|remove)\(|client\.ask\(|\b(?:askJson|askReport|askMatomo|listPages|runQuery|queryRows)\(|ransport\.(?:request|stream)\(|\bnew (\w+Command)\(/
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !path.endsWith('.ts') || /\/src\/(?:sandbox|html|studio)\//.test(path)) continue
    for (const [n, line] of readFileSync(path, 'utf8').split('\n').entries()) {
      const found = asks.exec(line)
      if (found && !/function|^\s*(?:\/\/|\*)/.test(line))
        calls.push(found[1] ?? `${relative(ROOT, path)}:${n + 1}`)
    }
  }
  return calls
}

test('nothing that the program asks is left out', () => {
  const calls = callsOf()
  expect(calls.length).toBeGreaterThan(60)
  expect(
    calls.filter((call) => !reached.has(call)),
    'give these a row in test/faults/endpoints/',
  ).toEqual([])
})
