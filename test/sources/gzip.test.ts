import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipped, gzipped } from '../../src/sources/gzip.ts'

const LINES = Array.from({ length: 20_000 }, (_, i) => `{"event":"e","n":${i}}\n`).join('')

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function whole(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

test('what is packed comes out as it went in', async () => {
  expect(await whole(gunzipped(gzipped(inPieces(Buffer.from(LINES), 1000)), 'a test'))).toBe(LINES)
  expect(await whole(gunzipped(gzipped(inPieces(Buffer.alloc(0), 1)), 'a test'))).toBe('')
})

test('data that is cut short anywhere, changed, or no gzip at all is never taken for the whole', async () => {
  const packed = gzipSync(LINES)
  const retry = { fate: 'retry', message: expect.stringContaining('a test: the compressed data is damaged') }
  for (const length of [
    0,
    1,
    9,
    10,
    11,
    500,
    Math.floor(packed.length / 2),
    packed.length - 8,
    packed.length - 1,
  ]) {
    await expect(whole(gunzipped(inPieces(packed.subarray(0, length), 333), 'a test'))).rejects.toMatchObject(
      retry,
    )
  }
  const changed = Buffer.from(packed)
  changed[packed.length - 6]! ^= 1
  await expect(whole(gunzipped(inPieces(changed, 333), 'a test'))).rejects.toMatchObject(retry)
  await expect(whole(gunzipped(inPieces(Buffer.from('<html>'), 9), 'a test'))).rejects.toMatchObject(retry)
})

test("the source's own failure is passed on, and leaving early lets the source go", async () => {
  async function* failing() {
    yield gzipSync(LINES).subarray(0, 100)
    throw new Error('the connection broke')
  }
  await expect(whole(gunzipped(failing(), 'a test'))).rejects.toThrow('the connection broke')
  let released = false
  async function* watched() {
    try {
      for (;;) yield* inPieces(gzipSync(LINES), 1000)
    } finally {
      released = true
    }
  }
  for await (const _ of gunzipped(watched(), 'a test')) break
  // The pipe lets go of its source in its own time.
  await expect.poll(() => released).toBe(true)
})
