import { expect, test } from 'vitest'
import { Ledger, type LedgerState } from '../../src/delivery/ledger.ts'
import { storeCell } from '../../src/state/cell.ts'
import { acquireLease, leaseHolders } from '../../src/state/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { testBucket } from '../helpers/bucket.ts'

/* Leases and ledgers in a bucket: the same code as for files, over requests that can fail half-way. */
const server = testBucket()

const cellOf = async (name: string) => storeCell(await openStore(server.location('state')), name)
const isPut = (method: string, key: string) => method === 'PUT' && key.endsWith('.lock')

test('a lease is taken once, given back, and taken again', async () => {
  const cell = await cellOf('a.lock')
  const lease = await acquireLease({ cell, purpose: 'import of a' })
  await expect(acquireLease({ cell })).rejects.toMatchObject({ code: 'locked' })
  expect(await leaseHolders(cell)).toMatchObject([{ purpose: 'import of a' }])
  await lease.release()
  expect(await leaseHolders(cell)).toEqual([])
  await (await acquireLease({ cell })).release()
})

test('of many at once, one wins', async () => {
  const cell = await cellOf('b.lock')
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => acquireLease({ cell })))
  const won = results.filter((result) => result.status === 'fulfilled')
  expect(won).toHaveLength(1)
  await won[0]!.value.release()
})

test.each(['lost', 'error'] as const)(
  'a write that ends with "%s" does not lock the holder out',
  async (kind) => {
    const cell = await cellOf(`${kind}.lock`)
    await (await acquireLease({ cell })).release()
    server.mischief = [{ kind, matches: isPut }]
    const lease = await acquireLease({ cell })
    expect(server.mischief).toEqual([])
    await lease.look()
    await lease.release()
    expect(await leaseHolders(cell)).toEqual([])
  },
)

test('of many changes of a ledger at once, none is lost', async () => {
  const ledger = new Ledger(await cellOf('x.ledger.json'), { host: 'h', key: 'k' })
  const add = (state: LedgerState) => ({ ...state, others: state.others + 1 })
  await Promise.all(Array.from({ length: 8 }, () => ledger.change('now', add)))
  expect((await ledger.read())!.others).toBe(8)
})
