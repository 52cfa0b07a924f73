import { expect, test } from 'vitest'
import { Account, type AccountOptions } from '../../src/delivery/account.ts'
import { deliveredSum, Ledger, ledgerName, ledgerSum, newMigration } from '../../src/delivery/ledger.ts'
import { MemoryCell } from '../helpers/memory-cell.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const TARGET = { host: 'https://eu.i.posthog.com', key: 'fingerprint' }

function setUp(maxEvents = 1000, ledger = new Ledger(new MemoryCell(), TARGET)) {
  const notes: string[] = []
  const enter = (more: Partial<AccountOptions> = {}) =>
    Account.open(ledger, {
      checkpoint: '/data/a.checkpoint.json',
      importId: 'a',
      delivered: 0,
      maxEvents,
      step: 1,
      lanes: 1,
      newMigration: false,
      rules: [],
      now: () => '2024-03-01T00:00:00.000Z',
      note: (text) => notes.push(text),
      ...more,
    })
  /** A whole run that delivers `events`, or as many as it is granted. */
  const run = async (events: number, more: Partial<AccountOptions> = {}) => {
    const account = await enter(more)
    const before = more.delivered ?? 0
    await account.ensure(events, before)
    let granted = 0
    while (granted < events && account.take()) granted++
    await account.settle(before + granted, 0, granted === events)
    return granted
  }
  const sum = async () => ledgerSum((await ledger.read())!)
  return { ledger, notes, enter, run, sum }
}

const B = { checkpoint: '/data/b.checkpoint.json', importId: 'b' }

test('the cap holds over all inputs', async () => {
  const { run, sum } = setUp()
  expect(await run(700)).toBe(700)
  expect(await run(700, B)).toBe(300)
  expect(await run(1, { checkpoint: '/data/c', importId: 'c' })).toBe(0)
  expect(await sum()).toBe(1000)
})

test('a restart never lowers the count', async () => {
  const { run, sum } = setUp()
  await run(400)
  const replaces = { importId: 'a', delivered: 400 }
  expect(await run(400, { importId: 'a2', replaces })).toBe(400)
  expect(await sum()).toBe(800)
  expect(await run(400, { importId: 'a3', replaces: { ...replaces, importId: 'a2' } })).toBe(200)
})

test('a new migration counts from 0, and says what the old one counted', async () => {
  const { run, ledger, notes, sum } = setUp()
  await run(1000)
  expect(await run(500, { ...B, newMigration: true })).toBe(500)
  expect(notes).toEqual([expect.stringMatching(/the one before it counted 1,000 events since 2024-03-01/)])
  expect(await sum()).toBe(500)
  expect((await ledger.read())!.earlier).toMatchObject([{ delivered: 1000 }])
  // The first import goes on: only what is new counts.
  expect(await run(100, { delivered: 1000 })).toBe(100)
  expect(await sum()).toBe(600)
})

test('a new migration whose write is done again, since its answer was lost, begins once', async () => {
  const { run, ledger } = setUp()
  await run(1000)
  const now = '2024-04-01T00:00:00.000Z'
  const begun = newMigration((await ledger.read())!, now)
  expect(begun.earlier).toMatchObject([{ delivered: 1000, ended_at: now }])
  expect(newMigration(begun, now)).toEqual(begun)
})

test('an import that the ledger does not know brings its numbers, once', async () => {
  const { run, sum } = setUp()
  const old = { importId: 'old' }
  expect(await run(100, { ...old, delivered: 500 })).toBe(100)
  expect(await sum()).toBe(600)
  expect(await run(100, { ...old, delivered: 600 })).toBe(100)
  expect(await sum()).toBe(700)
})

test('a restart of an import that the ledger does not know brings its numbers too', async () => {
  const { run, sum } = setUp()
  const replaces = { importId: 'old', delivered: 500 }
  expect(await run(600, { importId: 'new', replaces })).toBe(500)
  expect(await sum()).toBe(1000)
})

test('a checkpoint that is moved or copied counts on from there', async () => {
  const { run, sum } = setUp()
  await run(400)
  expect(await run(100, { checkpoint: '/elsewhere/a.checkpoint.json', delivered: 400 })).toBe(100)
  expect(await sum()).toBe(500)
  expect(await run(100, { delivered: 400 })).toBe(100)
  expect(await sum()).toBe(600)
})

test('a run that was killed leaves what it may have sent; the next run of it sets the count right', async () => {
  const { enter, run, sum } = setUp()
  const killed = await enter({ step: 200 })
  await killed.ensure(50, 0)
  for (let n = 0; n < 50; n++) killed.take()
  expect(await sum()).toBe(200)
  expect(await run(900, B)).toBe(800)
  expect(await run(150, { delivered: 20 })).toBe(150)
  expect(await sum()).toBe(970)
})

test('what a run that was killed had claimed does not count in a new migration', async () => {
  const { enter, run, sum } = setUp()
  const killed = await enter({ step: 200 })
  await killed.ensure(50, 0)
  await run(0, { ...B, newMigration: true })
  expect(await sum()).toBe(0)
})

test('a run that stops gives back no more than what the one before it can not have sent', async () => {
  const { enter, sum } = setUp()
  const killed = await enter({ step: 200 })
  await killed.ensure(50, 0)
  const next = await enter({ delivered: 20 })
  await next.settle(20, 0, false)
  expect(await sum()).toBe(200)
  const last = await enter({ delivered: 20 })
  await last.settle(60, 0, true)
  expect(await sum()).toBe(60)
})

test.each([0, 1, 2])('a kill between two ledgers, at write %i, is made good by the next run', async (at) => {
  const home = new MemoryCell()
  const there = setUp(1000, new Ledger(home, TARGET))
  const { run, sum } = setUp(1000, new Ledger(new MemoryCell(), TARGET, there.ledger))
  let writes = 0
  const put = home.put.bind(home)
  home.put = (...words) => (writes++ === at ? Promise.reject(new Error('killed')) : put(...words))
  await expect(run(300, { step: 350 })).rejects.toThrow('killed')
  // Before the last write, which settles, nothing was granted.
  const delivered = at === 2 ? 300 : 0
  expect(await run(50, { delivered })).toBe(50)
  expect([await sum(), await there.sum()]).toEqual([delivered + 50, delivered + 50])
})

test('two runs of one project never exceed it, however they take turns', async () => {
  const { enter, sum } = setUp()
  const both = await Promise.all([enter({ step: 30 }), enter({ ...B, step: 30 })])
  const granted = [0, 0]
  for (let round = 0; round < 100; round++) {
    await Promise.all(both.map((account, n) => account.ensure(7, granted[n]!)))
    for (const [n, account] of both.entries()) for (let i = 0; i < 7; i++) if (account.take()) granted[n]!++
    expect(await sum()).toBeLessThanOrEqual(1000)
  }
  expect(granted[0]! + granted[1]!).toBe(1000)
  for (const [n, account] of both.entries()) await account.settle(granted[n]!, 0, true)
  expect(await sum()).toBe(1000)
})

test('the count is never less than what may have been sent, wherever runs are killed', async () => {
  const roll = seeded(seedOf('ledger'))
  for (let round = 0; round < 60; round++) {
    const { enter, sum } = setUp(500)
    const sent = [0, 0]
    const saved = [0, 0]
    for (let run = 0; run < 20; run++) {
      const n = roll() < 0.5 ? 0 : 1
      let delivered = saved[n]!
      const account = await enter({ ...(n === 1 && B), delivered, step: 1 + Math.floor(roll() * 60) })
      let granted = delivered
      const end = Math.floor(roll() * 12)
      for (let step = 0; step < end; step++) {
        await account.ensure(20, delivered)
        for (let i = 0; i < 20; i++) if (account.take()) granted++
        // Some of what is granted is sent; some of that is acknowledged; some of that is saved.
        sent[n] = Math.max(sent[n]!, delivered + Math.floor(roll() * (granted - delivered + 1)))
        delivered += Math.floor(roll() * (Math.max(sent[n]!, delivered) - delivered + 1))
        delivered = Math.min(delivered, granted)
        if (roll() < 0.5) saved[n] = delivered
        expect(await sum()).toBeGreaterThanOrEqual(sent[0]! + sent[1]!)
        expect(sent[0]! + sent[1]!).toBeLessThanOrEqual(500)
      }
      if (roll() < 0.3) {
        saved[n] = delivered
        await account.settle(delivered, Math.max(0, sent[n]! - delivered), false)
      }
      expect(await sum()).toBeGreaterThanOrEqual(sent[0]! + sent[1]!)
    }
  }
})

test('the lanes that the pacer reserves for are the most of any run', async () => {
  const { enter } = setUp()
  expect((await enter({ lanes: 8 })).mostLanes).toBe(8)
  expect((await enter()).mostLanes).toBe(8)
  expect((await enter({ lanes: 4 })).mostLanes).toBe(8)
})

test('of more than 1,000 imports, the oldest become one sum', async () => {
  const { run, sum, ledger } = setUp(1e6)
  await run(2)
  const entry = (n: number) => ({ ...state.imports[0]!, checkpoint: `/data/${n}`, import_id: String(n) })
  const state = (await ledger.read())!
  await ledger.change('now', (found) => ({
    ...found,
    imports: Array.from({ length: 1009 }, (_, n) => entry(n)),
  }))
  await run(2, B)
  expect((await ledger.read())!.imports.length).toBe(1000)
  expect(await sum()).toBe(2020)
})

test('host and key name the file, and neither is in the name', () => {
  const names = [
    ledgerName(TARGET),
    ledgerName({ ...TARGET, key: 'other' }),
    ledgerName({ ...TARGET, host: 'https://us.i.posthog.com' }),
  ]
  expect(new Set(names).size).toBe(3)
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{16}\.ledger\.json$/)
})

test('what a checkpoint says of its import is newer than the ledger, also where the checkpoint was moved', () => {
  const entry = { checkpoint: 'a', import_id: '1', base: 0, claimed: 90, saved_at: '' }
  const ledger = {
    others: 7,
    imports: [
      { ...entry, delivered: 10 },
      { ...entry, checkpoint: 'b', import_id: '2', delivered: 20 },
      { ...entry, checkpoint: 'c', base: 10, delivered: 30 },
    ],
  }
  expect(deliveredSum(ledger, { importId: '1', taken: 50 })).toBe(7 + 10 + 20 + 40)
  expect(deliveredSum(ledger, { importId: '1', taken: 25 }), 'never less').toBe(7 + 10 + 20 + 20)
  expect(deliveredSum(ledger, { importId: '3', taken: 50 })).toBe(7 + 10 + 20 + 20)
})
