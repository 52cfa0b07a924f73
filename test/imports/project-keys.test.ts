import { describe, expect, test } from 'vitest'
import { type LedgerTarget, ledgerSum } from '../../src/delivery/ledger.ts'
import { homeTargetOf, keysOf, ledgerOf, targetOf } from '../../src/imports/project-keys.ts'
import { MemoryStore } from '../helpers/memory-store.ts'

const HOST = 'https://eu.i.posthog.com'
const [FIRST, SECOND, THIRD] = ['1111111111111111', '2222222222222222', '3333333333333333'] as const
const AT = '2026-11-01T00:00:00.000Z'

/** Counts events that an import sent by a key. */
async function send(store: MemoryStore, key: string, checkpoint: string, delivered: number) {
  const entry = { checkpoint, import_id: checkpoint, delivered, base: 0, claimed: 0, saved_at: AT }
  await ledgerOf(store, { host: HOST, key }).change(AT, (state) => ({
    ...state,
    most_lanes: Math.max(state.most_lanes, delivered),
    imports: [...state.imports, entry],
  }))
}

const countedIn = async (store: MemoryStore, of: LedgerTarget) =>
  ledgerSum((await ledgerOf(store, of).read())!)

const target = (store: MemoryStore, key: string, replaces?: string) =>
  targetOf(store, { host: HOST, key }, replaces)

describe('a project key that was replaced', () => {
  test('is known from then on by the first key, over any number of changes', async () => {
    const store = new MemoryStore()
    await send(store, FIRST, 'a', 3)
    expect(await target(store, SECOND)).toEqual({ host: HOST, key: SECOND, keys: [SECOND] })
    const keys = [FIRST, SECOND]
    expect(await target(store, SECOND, FIRST)).toEqual({ host: HOST, key: FIRST, keys })
    expect(await target(store, SECOND)).toEqual({ host: HOST, key: FIRST, keys })
    const third = { host: HOST, key: FIRST, keys: [...keys, THIRD] }
    expect(await target(store, THIRD, SECOND)).toEqual(third)
    // The option may stay in a cron job's line.
    expect(await target(store, THIRD, SECOND)).toEqual(third)
    expect(await keysOf(store, SECOND)).toEqual(third.keys)
  })

  test('counts what was sent by the new key before anyone said whose it is, and once', async () => {
    const store = new MemoryStore()
    await send(store, FIRST, 'a', 3)
    await send(store, SECOND, 'b', 5)
    const counted = async () => countedIn(store, await target(store, FIRST))
    await target(store, SECOND, FIRST)
    expect(await counted()).toBe(8)
    // As after a run that died before it wrote whose the key is.
    store.files.delete('project-keys.json')
    await target(store, SECOND, FIRST)
    expect(await counted()).toBe(8)
    // The pacer reserves for the lanes of all its runs.
    expect((await ledgerOf(store, { host: HOST, key: FIRST }).read())?.most_lanes).toBe(5)
  })

  test('is not taken for that of a key by which nothing was sent, nor of two keys', async () => {
    const store = new MemoryStore()
    await send(store, FIRST, 'a', 3)
    await expect(target(store, SECOND, THIRD)).rejects.toMatchObject({ code: 'usage' })
    expect(await target(store, SECOND)).toEqual({ host: HOST, key: SECOND, keys: [SECOND] })
    await target(store, SECOND, FIRST)
    await send(store, THIRD, 'c', 1)
    await expect(target(store, SECOND, THIRD)).rejects.toMatchObject({ code: 'mismatch' })
  })

  test.each(['store', 'home', 'both'])(
    'has one count in the ledger of the user, where the %s knew',
    async (by) => {
      const [store, home] = [new MemoryStore(), new MemoryStore()]
      for (const where of [store, home]) await send(where, FIRST, 'a', 3)
      for (const where of [store, home]) await send(where, SECOND, 'b', 5)
      const told = by === 'home' ? home : store
      const known = await target(told, SECOND, FIRST)
      if (by === 'both') await homeTargetOf(home, known)
      const there = await homeTargetOf(home, await target(store, SECOND))
      expect(await countedIn(home, there)).toBe(8)
      // The next key is told to the store alone again, and what was counted is not counted anew.
      if (by === 'home') await target(store, SECOND, FIRST)
      await send(home, FIRST, 'c', 2)
      const third = await homeTargetOf(home, await target(store, THIRD, SECOND))
      expect(await countedIn(home, third)).toBe(10)
    },
  )

  test('is that of one host', async () => {
    const store = new MemoryStore()
    await send(store, FIRST, 'a', 3)
    const elsewhere = targetOf(store, { host: 'https://us.i.posthog.com', key: SECOND }, FIRST)
    await expect(elsewhere).rejects.toMatchObject({ code: 'usage' })
  })
})
