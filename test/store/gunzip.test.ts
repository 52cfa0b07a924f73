import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { GzipFault, gunzip, gunzipHead, isGzip } from '../../src/store/gunzip.ts'

const FIRST = Array.from({ length: 20_000 }, (_, i) => `{"event":"e","n":${i}}\n`).join('')
const [first, second] = [gzipSync(FIRST), gzipSync('the second\n')]
const zeros = (length: number) => Buffer.alloc(length)

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** The packed bytes whole, in pieces, and byte by byte at the end of the first member. */
function fed(packed: Buffer, from?: number): Array<() => Promise<string>> {
  const at = first.length
  async function* parted() {
    yield packed.subarray(0, at)
    for (let i = at; i < packed.length; i++) yield packed.subarray(i, i + 1)
  }
  return [
    () => textOf(gunzip(chunksOf(packed, packed.length), from)),
    () => textOf(gunzip(chunksOf(packed, 333), from)),
    () => textOf(gunzip(parted(), from)),
  ]
}

describe('gunzip', () => {
  test.each([
    ['one member', [first], FIRST],
    ['several members', [first, second, second], `${FIRST}the second\nthe second\n`],
    ['zeros at the end', [first, second, zeros(5000)], `${FIRST}the second\n`],
    ['an empty member', [first, gzipSync(''), second], `${FIRST}the second\n`],
  ])('unpacks %s', async (_, parts, text) => {
    for (const run of fed(Buffer.concat(parts))) expect((await run()) === text).toBe(true)
  })

  test('hands out the text from an offset on', async () => {
    const packed = Buffer.concat([first, second])
    const text = `${FIRST}the second\n`
    for (const from of [0, 1, 300_000, FIRST.length, text.length - 1, text.length, text.length + 9]) {
      for (const run of fed(packed, from)) expect((await run()) === text.slice(from), `${from}`).toBe(true)
    }
  })

  test.each([0, 1, 9, 10, 11, 500, first.length - 8, first.length - 1])(
    'a first member of %i bytes is cut short',
    async (length) => {
      const cut = first.subarray(0, length)
      await expect(textOf(gunzip(chunksOf(cut, 333)))).rejects.toMatchObject({ name: 'GzipFault', cut: true })
    },
  )

  test.each([1, 2, 9, second.length - 1])('a second member of %i bytes is cut short', async (length) => {
    for (const run of fed(Buffer.concat([first, second.subarray(0, length)]))) {
      await expect(run()).rejects.toMatchObject({ name: 'GzipFault', cut: true })
    }
  })

  test.each([
    ['text after the end', [first, Buffer.from('garbage')]],
    ['a member after zeros', [first, zeros(3), second]],
    ['a member after many zeros', [first, zeros(100_000), second]],
    ['text after zeros', [first, zeros(700), Buffer.from('xy')]],
    ['text after zeros that end in zeros', [first, zeros(700), Buffer.from('xy'), zeros(700)]],
  ])('%s is lost data, and a fault', async (_, parts) => {
    for (const run of fed(Buffer.concat(parts))) {
      await expect(run()).rejects.toMatchObject({ name: 'GzipFault', cut: false })
    }
  })

  test('a changed byte, and text that never was gzip, are faults', async () => {
    const changed = Buffer.from(first)
    changed[first.length - 6]! ^= 1
    for (const bad of [changed, Buffer.from('<html>Sign in</html>')]) {
      await expect(textOf(gunzip(chunksOf(bad, 333)))).rejects.toMatchObject({
        name: 'GzipFault',
        cut: false,
      })
    }
  })

  test("passes the source's own failure on, and lets the source go when its reader leaves", async () => {
    async function* failing() {
      yield first.subarray(0, 100)
      throw new Error('the connection broke')
    }
    await expect(textOf(gunzip(failing()))).rejects.toThrow('the connection broke')
    let released = false
    async function* watched() {
      try {
        for (;;) yield* chunksOf(first, 1000)
      } finally {
        released = true
      }
    }
    for await (const _ of gunzip(watched())) break
    await expect.poll(() => released).toBe(true)
  })
})

test('the head of a file is unpacked as far as it goes', () => {
  expect(isGzip(first)).toBe(true)
  expect(isGzip(Buffer.from('{"'))).toBe(false)
  expect(FIRST.startsWith(gunzipHead(first.subarray(0, 2000)).toString())).toBe(true)
  expect(gunzipHead(first.subarray(0, 2000)).length).toBeGreaterThan(1000)
  expect(() => gunzipHead(Buffer.from('<html>'))).toThrow(GzipFault)
})
