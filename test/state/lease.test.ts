import { hostname } from 'node:os'
import { afterEach, expect, test, vi } from 'vitest'
import { acquireLease, type Lease, type LeaseRequest, leaseHolders } from '../../src/state/lease.ts'
import { bootId, pidNamespace, processStart } from '../../src/store/process-start.ts'
import { ManualClock } from '../helpers/manual-clock.ts'
import { MemoryCell } from '../helpers/memory-cell.ts'

// What the kernel says is read from files; the manual clock can wait only for what needs no file.
vi.mock('../../src/store/process-start.ts', () => ({
  bootId: async () => 'this boot',
  pidNamespace: async () => 'pid:[7]',
  processStart: async (pid: number) => (pid === process.pid ? '700' : null),
  isZombie: async () => false,
}))

const DEAD = 2 ** 22 + 1
const leases: Lease[] = []
afterEach(async () => {
  for (const lease of leases.splice(0)) await lease.release()
})

/** A holder as it is written down: this process, unless `values` say otherwise. */
async function holder(values: Record<string, unknown> = {}) {
  return {
    pid: process.pid,
    host: hostname(),
    process_start: await processStart(process.pid),
    boot: await bootId(),
    pid_namespace: await pidNamespace(),
    since: '2024-03-01T00:00:00.000Z',
    nonce: 'n',
    purpose: 'import of a.ndjson',
    renewals: 0,
    ...values,
  }
}

/** A holder whose process can't be seen from here. */
const elsewhere = (values: Record<string, unknown> = {}) =>
  holder({ host: 'pod-7', boot: 'another boot', pid: 1, ...values })

function setUp(...holders: readonly object[]) {
  const clock = new ManualClock()
  const cell = new MemoryCell()
  const write = (...now: readonly object[]) => {
    cell.text = JSON.stringify({ version: 2, holders: now })
  }
  if (holders.length > 0) write(...holders)
  const notes: string[] = []
  const take = async (more: Partial<LeaseRequest> = {}) => {
    const lease = await acquireLease({ cell, clock, note: (text) => notes.push(text), ...more })
    leases.push(lease)
    return lease
  }
  return { clock, cell, write, notes, take }
}

/** What a promise has come to after `ms`, without waiting any longer. */
async function after<T>(clock: ManualClock, ms: number, promise: Promise<T>): Promise<T | Error | 'pending'> {
  let result: T | Error | 'pending' = 'pending'
  promise.then(
    (value) => {
      result = value
    },
    (error: Error) => {
      result = error
    },
  )
  await clock.pass(ms)
  return result
}

test('is taken once, given back, and taken again', async () => {
  const { take, cell } = setUp()
  const lease = await take({ purpose: 'import of a.ndjson' })
  await expect(take()).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringMatching(`process ${process.pid} on ${hostname()}, since 20.*: import of a.ndjson`),
  })
  expect(await leaseHolders(cell)).toMatchObject([
    { who: `process ${process.pid} on ${hostname()}`, purpose: 'import of a.ndjson', seen: true },
  ])
  await lease.release()
  await lease.release()
  expect(await leaseHolders(cell)).toEqual([])
  await take()
})

test.each([
  ['a dead process of this host', { pid: DEAD }],
  ['a recycled process id', { process_start: '1' }],
])('%s is not the holder: it is free at once', async (_, over) => {
  const { take, clock } = setUp(await holder(over))
  await take()
  expect(clock.now()).toBe(0)
})

test('a holder elsewhere that does not renew is dead after 60 s of our own clock, not before', async () => {
  const { take, clock, notes } = setUp(await elsewhere())
  const lease = take()
  expect(await after(clock, 59_000, lease)).toBe('pending')
  expect(notes).toEqual([
    expect.stringMatching(/waiting up to 60 s for a sign of life from process 1 on pod-7/),
  ])
  await clock.pass(2_000)
  await lease
})

test('a holder elsewhere that renews is alive: a newcomer ends as soon as it has seen that', async () => {
  const found = await elsewhere()
  const { take, clock, write } = setUp(found)
  const lease = take()
  expect(await after(clock, 10_000, lease)).toBe('pending')
  write({ ...found, renewals: 1 })
  await expect(Promise.all([lease, clock.pass(1_000)])).rejects.toMatchObject({ code: 'locked' })
})

test.each([
  ['the same host name and process id on another machine', { boot: 'another boot' }],
  ['another container on this machine', { pid_namespace: 'pid:[1]' }],
])('%s is neither alive nor dead: its renewals decide', async (_, values) => {
  const { take, clock } = setUp(await holder({ pid: DEAD, ...values }))
  expect(await after(clock, 30_000, take())).toBe('pending')
  await clock.pass(40_000)
  const alive = setUp(await holder(values))
  const second = alive.take()
  expect(await after(alive.clock, 61_000, second)).not.toBe('pending')
  await second
})

test('of two that find the same dead holder, one wins', async () => {
  const { take, clock } = setUp(await elsewhere())
  const both = Promise.allSettled([take(), take()])
  await clock.pass(70_000)
  expect((await both).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
})

test('a holder renews every 15 s, so that nobody takes it for dead', async () => {
  const { take, clock, cell } = setUp()
  const lease = await take()
  const seen = new Set<string>()
  for (let passed = 0; passed < 120; passed += 15) {
    await clock.pass(15_000)
    seen.add(cell.text!)
  }
  expect(seen.size).toBe(8)
  await lease.look()
})

test('a holder that slept while another took the lease stops at its next look', async () => {
  const { take, clock, write } = setUp()
  const lease = await take()
  write(await elsewhere({ nonce: 'm' }))
  await clock.pass(1_500)
  await expect(lease.look()).rejects.toMatchObject({
    code: 'locked',
    message: expect.stringContaining('process 1 on pod-7'),
  })
  await expect(lease.look()).rejects.toMatchObject({ code: 'locked' })
  await lease.release()
  expect(await leaseHolders(setUpOf(await elsewhere({ nonce: 'm' })))).toHaveLength(1)
})

function setUpOf(found: object): MemoryCell {
  return setUp(found).cell
}

test('a lease that somebody else has since taken is not given back', async () => {
  const { take, cell, write } = setUp()
  const lease = await take()
  write(await elsewhere({ nonce: 'm' }))
  const before = cell.text
  await lease.release()
  expect(cell.text).toBe(before)
})

test('a lease out of reach is good for 45 s, then the holder stops', async () => {
  const { take, clock, cell } = setUp()
  const lease = await take()
  await clock.pass(15_000)
  cell.down = true
  await clock.pass(40_000)
  await lease.look()
  await clock.pass(10_000)
  await expect(lease.look()).rejects.toMatchObject({ code: 'unavailable' })
  cell.down = false
  await lease.look()
})

test('wait: it is taken as soon as the holder gives it back', async () => {
  const { take, clock, notes } = setUp()
  const first = await take({ purpose: 'import of a.ndjson' })
  const second = take({ wait: true })
  expect(await after(clock, 300_000, second)).toBe('pending')
  expect(notes).toEqual([expect.stringMatching(/^waiting for process \d+ on .*: import of a.ndjson$/)])
  await first.release()
  await clock.pass(1_000)
  await second
})

test('wait: an interrupt ends the waiting', async () => {
  const { take, clock } = setUp(await holder())
  const stop = new AbortController()
  const lease = take({ wait: true, signal: stop.signal })
  expect(await after(clock, 5_000, lease)).toBe('pending')
  stop.abort()
  await expect(lease).rejects.toMatchObject({ code: 'interrupted' })
})

test('steal: it is taken at once, with a word of whose it was; that holder ends its save, and stops', async () => {
  const { take, clock, notes } = setUp()
  const robbed = await take({ purpose: 'import of a.ndjson' })
  let begun = false
  const thief = take({ steal: true }).finally(() => {
    begun = true
  })
  await clock.pass(2_000)
  expect(begun).toBe(false)
  await clock.pass(1_000)
  const lease = await thief
  expect(notes).toEqual([expect.stringMatching(/^took the lock of process \d+ on .*: import of a.ndjson$/)])
  await clock.pass(1_000)
  await expect(robbed.look()).rejects.toMatchObject({ code: 'locked' })
  await lease.look()
})

test.each(['{"pid":1}', 'null', 'not json'])(
  'a file that says %j is left alone, but by steal',
  async (text) => {
    const { take, cell } = setUp()
    cell.text = text
    await expect(take()).rejects.toMatchObject({ code: 'locked', hint: expect.stringContaining('memory') })
    expect(cell.text).toBe(text)
    await take({ steal: true })
  },
)
