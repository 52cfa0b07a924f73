import { describe, expect, test } from 'vitest'
import { signalWhen } from '../helpers/cli-process.ts'
import { importUnderKills } from '../helpers/import-kills.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { type Action, type Answer, says, tells } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import type { Received } from './kit/received.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('capture v1')
const random = seeded(seed)
const SPEED = 40
const V1 = ['--via', 'v1', '--batch-events', '10']

const tagged = (status: number, error: string, headers = {}): Answer =>
  says(status, JSON.stringify({ error, error_description: 'why' }), headers)
const partly =
  (say: (at: number) => string) =>
  (request: Received): Answer =>
    tells(request, (_, at) => say(at))

/** What lasts pauses the run, and makes no reject; the same command goes on when it is over. */
const LASTING: readonly (readonly [name: string, action: Action, said: RegExp])[] = [
  ['a drop of all', { answer: partly(() => 'drop:rejected') }, /refused 20 events in a row .*: rejected/],
  ['a quota', { answer: tagged(402, 'billing_limit_exceeded') }, /402 billing_limit_exceeded/],
  ['a quota of older servers', { answer: tagged(429, 'billing_limit_exceeded') }, /billing_limit_exceeded/],
  [
    'a quota of one kind',
    { answer: partly((at) => (at === 3 ? 'drop:llm_events_over_quota' : 'ok')) },
    /no more events like made up .*: llm_events_over_quota/,
  ],
  [
    'a part that is never stored',
    {
      answer: (request) => tells(request, (_, at) => (request.events.length < 4 || at < 3 ? 'retry' : 'ok')),
    },
    /3 of 3 events were not stored/,
  ],
]

test.each(chosen(LASTING, 1, random))('%s in the middle of a run: a pause', async (_, action, said) => {
  const service = await Service.start((n) => (n < 2 ? undefined : action))
  const it = new FaultyImport({ service, seed, events: 120, clock: new FastClock(SPEED) })
  const { code, summary } = await it.run(...V1, '--retry-for', '5s')
  it.judge()
  expect([code, summary?.counts.written, summary?.counts.rejected]).toEqual([5, 20, 0])
  expect(summary?.error?.message).toMatch(said)
  service.script = () => undefined
  expect((await it.run(...V1)).code).toBe(0)
  it.judge()
})

const WAITS: readonly (readonly [name: string, action: Action])[] = [
  ['a request', { hang: 'afterBody', store: true }],
  ['the wait before the rest is sent', { answer: partly((at) => (at % 2 ? 'retry' : 'ok')) }],
  ['the wait after an outage', { answer: tagged(503, 'service_unavailable', { 'Retry-After': '600' }) }],
]

describe('a run that ends early goes on', () => {
  test.each(chosen(WAITS, 1, random))('by SIGTERM in %s', async (_, action) => {
    const service = await Service.start((n) => (n < 3 ? undefined : action))
    const it = new FaultyImport({ service, seed, events: 100, env: { POSTHAUL_DRAIN: '300ms' } })
    const cli = it.start(...V1)
    const stopped = it.ended(await signalWhen(cli, 'SIGTERM', () => service.requests.length > 3))
    it.judge()
    expect([stopped.code, stopped.summary?.counts.written]).toEqual([143, 30])
    service.script = () => undefined
    expect((await it.run(...V1)).code).toBe(0)
    it.judge()
  })

  test('by --stop-after, time and again, in three lanes', async () => {
    const service = await Service.start((n) =>
      n % 3 === 1 ? { answer: partly((at) => (at % 4 ? 'ok' : 'retry')) } : { writeSlowly: 400 },
    )
    const it = new FaultyImport({ service, seed, events: 240, clock: new FastClock(20) })
    const flags = ['--via', 'v1', '--batch-events', '6', '--lanes', '3']
    const stopped = await it.run(...flags, '--stop-after', '8s')
    it.judge()
    expect([0, 5]).toContain(stopped.code)
    service.script = () => undefined
    expect((await it.run(...flags)).code).toBe(0)
    it.judge()
  })

  test('by SIGKILL, while answers are lost and parts are not stored: only dropped events are rejects', async () => {
    const FAULTS: readonly Action[] = [
      { reset: 'afterBody', store: true },
      { reset: 'inBody' },
      { reset: 'inAnswer' },
      { answer: tagged(500, 'internal_error') },
    ]
    const service = await Service.start(() => {
      if (random() < 0.25) return FAULTS[Math.floor(random() * FAULTS.length)]
      const say = (uuid: string) => (service.poison.has(uuid) ? 'drop:rejected' : 'ok')
      const answer = (request: Received) =>
        tells(request, ({ uuid }) => (random() < 0.1 ? 'retry:not_persisted' : say(uuid)))
      return random() < 0.4 ? { answer } : undefined
    })
    const it = new FaultyImport({ service, seed, events: 240, days: 2, clock: new FastClock(SPEED) })
    for (const { uuid } of it.minted) if (random() < 0.04) service.poison.add(uuid)
    const ended = await importUnderKills({
      argv: [...it.argv, '--via', 'v1', '--batch-events', '12', '--lanes', '2'],
      env: it.env,
      kills: kills({ few: 1, many: 4 }),
      requests: () => service.requests.length,
      random,
    })
    it.ended(ended)
    it.judge()
    expect(it.oracle.rejectedIn(it.rejectsFile)).toEqual(service.poison)
    expect(service.requests.every(({ isV1 }) => isV1)).toBe(true)
  })
})
