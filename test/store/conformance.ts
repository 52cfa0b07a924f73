import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/store/store.ts'

/**
 * What every store must do. `open` gives an empty store, a new one at each call. `conditions` says what becomes of a put
 * on a condition: it is kept, whoever writes at the same moment; checked before the put, which is enough for one writer;
 * or refused, since the store's service would ignore it.
 */
export function storeConformance(
  kind: string,
  open: () => Promise<Store>,
  conditions: 'kept' | 'checked' | 'refused' = 'kept',
): void {
  const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

  async function bytesOf(
    store: Store,
    name: string,
    range?: { start: number; end: number },
  ): Promise<Buffer> {
    const chunks: Buffer[] = []
    for await (const chunk of store.read(name, range)) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    const copies: Buffer[] = []
    for await (const chunk of store.readThrough(name, range)) {
      copies.push(Buffer.from(chunk))
      // The next read is under way meanwhile: it must not touch this chunk.
      await new Promise(setImmediate)
      expect(copies.at(-1)!.equals(chunk)).toBe(true)
    }
    expect(Buffer.concat(copies).equals(bytes)).toBe(true)
    return bytes
  }

  async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
  }

  describe(`${kind} store`, () => {
    test('a place nobody has written to is empty', async () => {
      const store = await open()
      expect(await store.list()).toEqual([])
      expect(await store.load('manifest.json')).toBeUndefined()
      await store.remove('manifest.json')
      await store.sweep()
    })

    test('what was put comes back, whole and in ranges', async () => {
      const store = await open()
      const bytes = randomBytes(3_000_001)
      const put = await store.put('2024-03-01.ndjson', bytes)
      expect(put).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes) })
      expect((await store.load('2024-03-01.ndjson'))?.version).toBe(put.version)
      expect(bytes.equals(await bytesOf(store, '2024-03-01.ndjson'))).toBe(true)
      const ranges: [number, number][] = [
        [0, 0],
        [5, 5],
        [0, 1],
        [1_048_575, 1_048_577],
        [3_000_000, 3_000_001],
        [2_999_999, 4_000_000],
        [3_000_001, 3_000_002],
        [4_000_000, 5_000_000],
      ]
      for (const [start, end] of ranges) {
        const got = await bytesOf(store, '2024-03-01.ndjson', { start, end })
        expect(bytes.subarray(start, end).equals(got)).toBe(true)
      }
    })

    test('a stamp tells when a file was written to', async () => {
      const store = await open()
      expect(await store.stamp('a.ndjson')).toBeUndefined()
      await store.put('a.ndjson', Buffer.from('one'))
      const stamp = await store.stamp('a.ndjson')
      expect(stamp).toBeDefined()
      expect(await store.stamp('a.ndjson')).toBe(stamp)
      await store.put('a.ndjson', Buffer.from('two'))
      expect(await store.stamp('a.ndjson')).not.toBe(stamp)
    })

    test('a stream is put like bytes, whatever its pieces', async () => {
      const store = await open()
      const bytes = randomBytes(200_000)
      const put = await store.put('a.ndjson', inPieces(bytes, 777))
      expect(put).toMatchObject({ bytes: bytes.length, sha256: sha256(bytes) })
      expect(bytes.equals(await bytesOf(store, 'a.ndjson'))).toBe(true)
      expect(await store.put('empty.ndjson', inPieces(Buffer.alloc(0), 1))).toMatchObject({ bytes: 0 })
      expect(await bytesOf(store, 'empty.ndjson')).toHaveLength(0)
    })

    test('a chunk may be filled anew for the next one', async () => {
      const store = await open()
      const chunk = Buffer.alloc(1_500_000)
      async function* refilled() {
        for (let i = 1; i <= 7; i++) yield chunk.fill(i)
      }
      const put = await store.put('a.ndjson', refilled())
      const wanted = Buffer.concat([1, 2, 3, 4, 5, 6, 7].map((i) => Buffer.alloc(1_500_000, i)))
      expect(put.sha256).toBe(sha256(wanted))
      expect(wanted.equals(await bytesOf(store, 'a.ndjson'))).toBe(true)
    })

    test('a stream that fails leaves the old file, and nothing of the new one', async () => {
      const store = await open()
      await store.put('a.ndjson', Buffer.from('old'))
      async function* failing() {
        yield Buffer.from('new')
        throw new Error('the source broke')
      }
      await expect(store.put('a.ndjson', failing())).rejects.toThrow('the source broke')
      await expect(store.put('b.ndjson', failing())).rejects.toThrow('the source broke')
      expect((await bytesOf(store, 'a.ndjson')).toString()).toBe('old')
      expect(await store.list()).toMatchObject([{ name: 'a.ndjson', bytes: 3 }])
    })

    test('a file cannot be seen before its last byte is there', async () => {
      const store = await open()
      let seen: unknown = 'not looked'
      async function* watching() {
        yield Buffer.alloc(100_000)
        seen = [await store.list(), await store.load('a.ndjson')]
        yield Buffer.from('end')
      }
      await store.put('a.ndjson', watching())
      expect(seen).toEqual([[], undefined])
      expect(await store.list()).toHaveLength(1)
    })

    test('lists by name in code unit order, at any depth', async () => {
      const store = await open()
      const names = [
        'b.ndjson',
        '2024-03-01.ndjson',
        '2024-03-01.0001.ndjson',
        'é.ndjson',
        'B/x.ndjson',
        'b/y/z.ndjson',
      ]
      for (const name of names) await store.put(name, Buffer.from(name))
      expect(await store.list()).toMatchObject(
        [...names].sort().map((name) => ({ name, bytes: Buffer.byteLength(name) })),
      )
      expect((await bytesOf(store, 'b/y/z.ndjson')).toString()).toBe('b/y/z.ndjson')
    })

    test('removes a file, and does not mind one that is gone', async () => {
      const store = await open()
      await store.put('a.ndjson', Buffer.from('a'))
      await store.remove('a.ndjson')
      await store.remove('a.ndjson')
      expect(await store.list()).toEqual([])
    })

    test('reading what is not there is an error about that file', async () => {
      const store = await open()
      await expect(bytesOf(store, 'gone.ndjson')).rejects.toMatchObject({
        code: 'input',
        message: expect.stringContaining('gone.ndjson'),
      })
      await expect(store.readThrough('gone.ndjson')[Symbol.asyncIterator]().next()).rejects.toMatchObject({
        code: 'input',
        message: expect.stringContaining('gone.ndjson'),
      })
    })

    test.each(['../a', 'a/../b', '/a', '', 'a//b', '.hidden', 'a\0b'])(
      'refuses the name %j',
      async (name: string) => {
        const store = await open()
        await expect(store.put(name, Buffer.from('x'))).rejects.toMatchObject({ code: 'input' })
        await expect(bytesOf(store, name)).rejects.toMatchObject({ code: 'input' })
        await expect(store.load(name)).rejects.toMatchObject({ code: 'input' })
        await expect(store.remove(name)).rejects.toMatchObject({ code: 'input' })
      },
    )

    if (conditions === 'refused') {
      test.each(['absent', { version: '"0"' }] as const)(
        'a put on a condition (%o) is refused',
        async (condition) => {
          const store = await open()
          await expect(store.put('a.json', Buffer.from('x'), condition)).rejects.toMatchObject({
            code: 'config',
            message: expect.stringContaining('cannot keep two runs apart'),
          })
          expect(await store.list()).toEqual([])
        },
      )
      return
    }

    test('a condition that does not hold when the put begins is a lost race', async () => {
      const store = await open()
      const { version: first } = await store.put('a.json', Buffer.from('one'), 'absent')
      await expect(store.put('a.json', Buffer.from('two'), 'absent')).rejects.toMatchObject({
        code: 'mismatch',
      })
      const { version: second } = await store.put('a.json', Buffer.from('two'), { version: first })
      await expect(store.put('a.json', Buffer.from('x'), { version: first })).rejects.toMatchObject({
        code: 'mismatch',
      })
      expect((await store.load('a.json'))?.version).toBe(second)
      expect((await bytesOf(store, 'a.json')).toString()).toBe('two')
    })

    test('a version of a file that has gone is a lost race', async () => {
      const store = await open()
      await store.put('a.json', Buffer.from('v0'))
      const { version } = (await store.load('a.json'))!
      await store.remove('a.json')
      await expect(store.put('a.json', Buffer.from('v1'), { version })).rejects.toMatchObject({
        code: 'mismatch',
      })
      expect(await store.list()).toEqual([])
    })
    // Of the rest only a service that keeps conditions is capable.
    if (conditions === 'checked') return

    test('a put on the condition that the name is free happens once', async () => {
      const store = await open()
      const puts = ['one', 'two', 'three'].map((text) => store.put('a.json', Buffer.from(text), 'absent'))
      const results = await Promise.allSettled(puts)
      const won = results.findIndex((result) => result.status === 'fulfilled')
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
      for (const result of results) {
        if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'mismatch' })
      }
      expect((await bytesOf(store, 'a.json')).toString()).toBe(['one', 'two', 'three'][won])
    })

    test('of two writers that loaded the same version, one wins and the other is told', async () => {
      const store = await open()
      await store.put('a.json', Buffer.from('v0'))
      for (let round = 0; round < 5; round++) {
        const { version } = (await store.load('a.json'))!
        const puts = ['x', 'y'].map((who) => store.put('a.json', Buffer.from(`${who}${round}`), { version }))
        const results = await Promise.allSettled(puts)
        const won = results.findIndex((result) => result.status === 'fulfilled')
        expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
        expect(results[1 - won]).toMatchObject({ reason: { code: 'mismatch' } })
        expect((await bytesOf(store, 'a.json')).toString()).toBe(`${'xy'[won]}${round}`)
      }
    })
  })
}
