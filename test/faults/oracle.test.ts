import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { testFolder } from '../helpers/folder.ts'
import { type MintedEvent, mintEvents } from './kit/mint.ts'
import { Oracle, type Summary } from './kit/oracle.ts'
import { eventsIn, Received } from './kit/received.ts'
import type { Service } from './kit/service.ts'

const MINTED = mintEvents({ seed: 1, events: 30, ids: 2 })
const ADDED =
  ',"$geoip_disable":true,"$import_job_id":"91811d73-95c3-59a6-be3a-d1f081f2f6d7","$lib":"posthaul","$lib_version":"0.1.0","analytics_source":"posthog"}}'

const sent = ({ line }: MintedEvent) => line.slice(0, -2) + ADDED

/** A request that the service has kept and acknowledged. */
function kept(n: number, events: readonly string[]): Received {
  const request = new Received(n, 0, 'POST /batch/ HTTP/1.1')
  request.packed = Buffer.from(`{"api_key":"k","historical_migration":true,"batch":[${events.join(',')}]}`)
  request.complete()
  return Object.assign(request, { stored: true, acknowledges: true, status: 200, reply: 'read' as const })
}

/** What a run leaves behind that sends its events in threes and has one reject. A test spoils it. */
function sound() {
  const [reject, ...rest] = MINTED as [MintedEvent, ...MintedEvent[]]
  const lines = rest.map(sent)
  const requests = Array.from({ length: 10 }, (_, n) => kept(n, lines.slice(3 * n, 3 * n + 3)))
  const counts = { read: 30, written: 29, rejected: 1, filtered: 0, duplicate: 0, pending: 0 }
  const rejects = [`${JSON.stringify({ record: reject.line })}\n`]
  return { requests, rejects, counts, finished: true, perMinute: 100 }
}

function judge({ requests, rejects, counts, finished, perMinute }: ReturnType<typeof sound>): void {
  const rejectsFile = join(testFolder(), 'rejects.ndjson')
  if (rejects.length > 0) writeFileSync(rejectsFile, rejects.join(''))
  expect(existsSync(rejectsFile)).toBe(rejects.length > 0)
  const summary: Summary = { finished, conserved: true, reason: null, counts, error: null }
  new Oracle(MINTED).judge({
    service: { requests, faults: [] } as unknown as Service,
    rejectsFile,
    summary,
    perMinute,
  })
}

test('the oracle finds nothing to say of a sound run', () => {
  judge(sound())
})

const SPOILED: readonly [name: string, spoil: (run: ReturnType<typeof sound>) => unknown, said: RegExp][] = [
  ['a lost event', ({ requests }) => requests.pop(), /written/],
  [
    'a lost event that nobody counts',
    ({ requests, counts }) => Object.assign(counts, { read: 28, written: 27 }) && requests.pop(),
    /is stored or a reject/,
  ],
  [
    'an event that was acknowledged and not kept',
    ({ requests }) => Object.assign(requests[2]!, { stored: false }),
    /written/,
  ],
  [
    'an event that was made up',
    ({ requests }) => requests.push(kept(10, [sent(mintEvents({ seed: 2, events: 1 })[0]!)])),
    /request 10/,
  ],
  [
    'a bent number',
    ({ requests }) => requests.push(kept(10, [sent(MINTED[5]!).replace('"n":5', '"n":5.0')])),
    /request 10/,
  ],
  [
    'other bytes at the second time',
    ({ requests }) => requests.push(kept(10, [sent(MINTED[5]!).replace('0.1.0', '0.2.0')])),
    /the same bytes again/,
  ],
  ['a person out of order', ({ requests }) => requests.reverse(), /in order/],
  ['a reject that is there twice', ({ rejects }) => rejects.push(rejects[0]!), /twice/],
  [
    'a reject that nobody counts',
    ({ counts }) => Object.assign(counts, { read: 29, rejected: 0 }),
    /each reject/,
  ],
  [
    'a reject that was also kept',
    ({ requests }) => requests.unshift(kept(0, [sent(MINTED[0]!)])),
    /so it is no reject/,
  ],
  [
    'a reject that lost a digit',
    ({ rejects }) => rejects.push(rejects.pop()!.replace('"n', '"m')),
    /as it was/,
  ],
  ['a torn rejects file', ({ rejects }) => rejects.push('{"record'), /line end/],
  ['counts that do not add up', ({ counts }) => Object.assign(counts, { read: 31 }), /expected 31 to be 30/],
  ['a minute over the cap', (run) => Object.assign(run, { perMinute: 28 }), /in a minute/],
]

test.each(SPOILED)('the oracle finds %s', (_, spoil, said) => {
  const run = sound()
  spoil(run)
  let found: unknown
  try {
    judge(run)
  } catch (error) {
    found = error
  }
  expect(String(found)).toMatch(said)
})

test('events are cut out of a batch in their very bytes', () => {
  const lines = MINTED.map(({ line }) => line)
  const body = Buffer.from(`{"api_key":"k","batch":[${lines.join(',')}]}`)
  expect(eventsIn(body).map(({ bytes }) => bytes.toString())).toEqual(lines)
  expect(eventsIn(Buffer.from('{"batch":[]}'))).toEqual([])
})
