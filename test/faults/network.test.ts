import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { testFolder } from '../helpers/folder.ts'
import { oddServer } from '../helpers/odd-server.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { CERTIFICATE, EXPIRED_CERTIFICATE, LOCALHOST_CERTIFICATE, tlsFront } from '../helpers/tls-front.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { type Action, type Answer, type Moment, OK, says } from './kit/action.ts'
import { chosen } from './kit/chosen.ts'
import { FastClock } from './kit/clock.ts'
import { type Fault, type MidRun, midRun, type Next } from './kit/mid-run.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

const seed = seedOf('network')
const random = seeded(seed)
const SPEED = 60
const HOW = ['close', 'reset'] as const
const BATCHES = ['--batch-events', '10']

const endless: Answer = {
  acknowledges: false,
  raw: function* () {
    yield 'HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n'
    for (;;) yield ' '
  },
}

type Row = readonly [name: string, action: Action, next: Next]

const MOMENTS: readonly [Moment, string][] = [
  ['beforeBody', 'before the body'],
  ['inBody', 'in the body'],
  ['afterBody', 'after the body'],
  ['inHead', 'in the head of the answer'],
  ['inAnswer', 'in the answer'],
]

const BREAKS = MOMENTS.flatMap(([moment, when]): Row[] => [
  [`reset ${when}`, { reset: moment }, 'again'],
  [`closed ${when}`, { close: moment }, 'again'],
  [`silent ${when}`, { hang: moment }, 'again'],
])

const ROWS: readonly Row[] = [
  ...BREAKS,
  ['reset after storing', { reset: 'afterBody', store: true }, 'again'],
  ['silent after storing', { hang: 'afterBody', store: true }, 'again'],
  ['closed after the answer', { close: 'afterAnswer' }, 'went on'],
  ['an outage, and closed', { answer: says(503), close: 'afterAnswer' }, 'again'],
  ['an outage, and reset', { answer: says(503), reset: 'afterAnswer' }, 'again'],
  ['a body that is read slowly', { readSlowly: 64 }, 'went on'],
  ['an answer that comes slowly', { answer: OK, writeSlowly: 4 }, 'went on'],
  ['a body that is read too slowly', { readSlowly: 1 }, 'again'],
  ['an answer that comes too slowly', { answer: endless, writeSlowly: 1 }, 'again'],
]

const faultsOf = (rows: readonly Row[]) => rows.map(([name, action, next]): Fault => ({ name, action, next }))

const LARGE: readonly Row[] = [
  ...BREAKS.filter(([, action]) => Object.values(action).includes('inBody')),
  ['reset before the body', { reset: 'beforeBody' }, 'again'],
  ['closed before the body', { close: 'beforeBody' }, 'again'],
  ['a body that is read slowly', { readSlowly: 100_000 }, 'went on'],
  ['a body that is read too slowly', { readSlowly: 1000 }, 'again'],
  ['an early outage', { answer: says(503), early: true }, 'again'],
  ['an early outage, and closed', { answer: says(503), early: true, close: 'inBody' }, 'again'],
]

const few = faultsOf(chosen(ROWS, 4, random))
const fewInLarge = faultsOf(chosen(LARGE, 1, random))
let run: MidRun
let inLarge: MidRun
// Side by side: both wait for most of their time.
beforeAll(async () => {
  ;[run, inLarge] = await Promise.all([
    midRun(few, { seed, speed: SPEED }),
    midRun(fewInLarge, { seed, speed: 40, padding: 800_000 }),
  ])
})

describe('a connection in the middle of a run', () => {
  test.each(few)('$name: $next', (fault) => {
    expect(run.next(fault)).toBe(fault.next)
  })

  test('loses nothing', () => {
    run.judge()
    expect([run.ended.code, run.ended.summary?.counts.rejected]).toEqual([0, 0])
  })
})

describe('a connection in the middle of a run, and bodies that fill its buffers', () => {
  test.each(fewInLarge)('$name: $next', (fault) => {
    expect(inLarge.next(fault)).toBe(fault.next)
  })

  test('loses nothing', () => {
    inLarge.judge()
    expect([inLarge.ended.code, inLarge.ended.summary?.counts.rejected]).toEqual([0, 0])
  })
})

test.each(chosen(HOW, 1, random))('%s of every connection after its answer: nothing is lost', async (how) => {
  const service = await Service.start(() => ({ [how]: 'afterAnswer' }))
  const it = new FaultyImport({ service, seed, events: 300, days: 3, clock: new FastClock(SPEED) })
  const { code } = await it.run(...BATCHES, '--lanes', '3')
  it.judge()
  expect(code).toBe(0)
})

test.each(chosen(HOW, 1, random))('%s of the first connections: they are tried again', async (how) => {
  const service = await Service.start()
  service.greet = (connection) => (connection < 3 ? how : undefined)
  const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
  const { code } = await it.run(...BATCHES)
  it.judge()
  expect(code).toBe(0)
  // On a clock that is so fast, a connection can be idle for too long.
  expect(service.connections).toBeGreaterThanOrEqual(4)
})

test('the service is away in the middle of a run, and comes back', async () => {
  const service = await Service.start((n) => {
    if (n !== 3) return undefined
    service.stop()
    setTimeout(() => void service.up(), 500)
    return { hang: 'beforeBody' }
  })
  const it = new FaultyImport({ service, seed, events: 60, clock: new FastClock(SPEED) })
  const { code, stderr } = await it.run(...BATCHES)
  it.judge()
  expect(code).toBe(0)
  expect(stderr).toContain('trying again')
})

/** Addresses at which nobody answers. Both may be there again in a moment, so the run tries them for --retry-for. */
const NOBODY: readonly [name: string, url: (service: Service) => string, said: RegExp][] = [
  ['a name that does not resolve', () => 'https://posthog.invalid', /the host name does not resolve/],
  ['a port without a server', ({ url }) => url, /no connection: .*ECONNREFUSED/],
]

test.each(chosen(NOBODY, 1, random))('%s: the run tries for its time, then ends', async (_, urlOf, said) => {
  const service = await Service.start()
  service.stop()
  const url = urlOf(service)
  const it = new FaultyImport({ service, seed, events: 60, url, clock: new FastClock(SPEED) })
  const flags = [...BATCHES, '--retry-for', '30s']
  const stopped = await it.run(...flags)
  it.judge()
  expect(stopped.code).toBe(5)
  expect(stopped.stderr).toContain('trying again')
  expect(stopped.summary?.error?.message).toMatch(said)
  await service.up()
  if (url !== service.url) return
  expect((await it.run(...flags)).code).toBe(0)
  it.judge()
})

/** An import of events over TLS, which trusts both certificates of localhost. */
async function overTls(
  certificate: string,
  trusted: readonly string[] = [LOCALHOST_CERTIFICATE, EXPIRED_CERTIFICATE],
) {
  const service = await Service.start()
  const front = await tlsFront(service.port, certificate)
  onTestFinished(() => {
    front.show(certificate)
    void front.close()
  })
  const trust = join(testFolder(), 'trust.pem')
  writeFileSync(trust, trusted.map((path) => readFileSync(path, 'utf8')).join(''))
  const url = `https://localhost:${front.port}`
  const env = { NODE_EXTRA_CA_CERTS: trust }
  const it = new FaultyImport({ service, seed, events: 60, url, env, clock: new FastClock(SPEED) })
  return { service, front, it }
}

/** Certificates with which nothing may be sent. */
const WRONG: readonly [
  name: string,
  certificate: string,
  trusted: readonly string[] | undefined,
  said: RegExp,
][] = [
  ['an expired certificate', EXPIRED_CERTIFICATE, undefined, /certificate has expired/],
  ['that of another host', CERTIFICATE, [CERTIFICATE, LOCALHOST_CERTIFICATE], /Hostname\/IP does not match/],
  ['one that nobody signed', CERTIFICATE, undefined, /self-signed certificate/],
]

test.each(chosen(WRONG, 1, random))(
  '%s: the run ends before anything is sent',
  async (_, certificate, trusted, said) => {
    const { service, front, it } = await overTls(certificate, trusted)
    const stopped = await it.run(...BATCHES)
    it.judge()
    expect([stopped.code, service.connections]).toEqual([5, 0])
    expect(stopped.summary?.error?.message).toMatch(said)
    front.show(LOCALHOST_CERTIFICATE)
    expect((await it.run(...BATCHES)).code).toBe(0)
    it.judge()
  },
)

test('plain HTTP at an https address: the run ends before anything is sent', async () => {
  const [service, plain] = [await Service.start(), await oddServer(() => ({}))]
  onTestFinished(() => plain.close())
  const url = plain.url.replace('http:', 'https:')
  const it = new FaultyImport({ service, seed, events: 60, url, clock: new FastClock(SPEED) })
  const { code, summary } = await it.run(...BATCHES)
  it.judge()
  expect([code, plain.asked.length]).toEqual([5, 0])
  expect(summary?.error?.message).toMatch(/the service was not reached: .*the secure connection failed/)
})

test('a server that never ends the TLS handshake: the run tries for its time, then ends', async () => {
  const service = await Service.start()
  service.greet = () => 'hang'
  const url = service.url.replace('http:', 'https:')
  const it = new FaultyImport({ service, seed, events: 60, url, clock: new FastClock(SPEED) })
  const { code, summary } = await it.run(...BATCHES, '--retry-for', '2m')
  it.judge()
  expect([code, service.connections > 1]).toEqual([5, true])
  expect(summary?.error?.message).toContain('no complete answer in time')
})

test('a certificate that expires in the middle of a run: nothing is sent until there is a new one', async () => {
  const { service, front, it } = await overTls(LOCALHOST_CERTIFICATE)
  let shown = 0
  service.script = (n) => {
    if (n !== 3) return undefined
    shown = service.connections
    front.show(EXPIRED_CERTIFICATE)
    setTimeout(() => {
      expect(service.connections).toBe(shown)
      front.show(LOCALHOST_CERTIFICATE)
    }, 500)
    return { hang: 'beforeBody' }
  }
  const { code, stderr } = await it.run(...BATCHES)
  it.judge()
  expect(code).toBe(0)
  expect(unfolded(stderr)).toContain('certificate has expired')
})
