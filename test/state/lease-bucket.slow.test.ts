import { describe, expect, test } from 'vitest'
import { Ledger, type LedgerState } from '../../src/delivery/ledger.ts'
import { storeCell } from '../../src/state/cell.ts'
import { acquireLease, leaseHolders } from '../../src/state/lease.ts'
import { openStore } from '../../src/store/open.ts'
import { testBucket } from '../helpers/bucket.ts'
import { mortal } from '../helpers/mortal-store.ts'
import { CELLS, sampleOf } from './declared.ts'

/* Leases and ledgers in a bucket: the same code as for files, over requests that can fail half-way. */
const server = testBucket()

const cellOf = async (name: string) => storeCell(await openStore(server.location('state')), name)
const isPut = (method: string, key: string) => method === 'PUT' && key.endsWith('.lock')

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

describe.each(CELLS.map((row) => [row.kind.name, row] as const))('%s in a bucket', (name, row) => {
  const { kind, unreadable, other } = row
  const sample = sampleOf(kind)
  const place = async () => {
    const store = await openStore(server.location(name.replaceAll(' ', '-')))
    await store.put('state', sample)
    const cell = storeCell(store, 'state')
    return { store, cell, old: (await kind.load(cell))! }
  }

  test.each(['before', 'after'])('a put that dies %s it is done leaves one value whole', async (when) => {
    const { store, cell, old } = await place()
    const dying = storeCell(
      mortal(store, 0, when === 'after', () => undefined),
      'state',
    )
    await expect(kind.save(dying, other(old.value), old)).rejects.toThrow('killed')
    const found = (await kind.load(cell))!
    expect(found.value).toEqual(when === 'after' ? other(old.value) : old.value)
    await kind.save(cell, old.value, found)
    expect((await kind.load(cell))!.value).toEqual(old.value)
  })

  test('a connection that is cut after the put leaves the new value, or says so', async () => {
    const { cell, old } = await place()
    server.mischief.push({ kind: 'lost', matches: (method) => method === 'PUT' })
    await kind.save(cell, other(old.value), old).catch(() => undefined)
    expect((await kind.load(cell))!.value).toEqual(other(old.value))
  })

  test('of two that replace it, the second is refused', async () => {
    const { cell, old } = await place()
    await kind.save(cell, other(old.value), old)
    await expect(kind.save(cell, old.value, old)).rejects.toMatchObject({ code: 'mismatch' })
    await expect(kind.save(cell, old.value, 'absent')).rejects.toMatchObject({ code: 'mismatch' })
  })

  test.each([
    ['cut', sample.subarray(0, sample.length / 2)],
    ['of zeros', Buffer.alloc(sample.length)],
  ])('an object that is %s', async (_, bytes) => {
    const { store, cell } = await place()
    await store.put('state', bytes)
    const loaded = kind.load(cell)
    if (unreadable === 'none') expect(await loaded).toBeUndefined()
    else await expect(loaded).rejects.toMatchObject({ code: unreadable })
  })
})
