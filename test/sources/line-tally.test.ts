import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { gunzipped, gzipped, LineTally, tallied } from '../../src/sources/line-tally.ts'

async function run(text: string, step: number, keep = 100) {
  const bytes = Buffer.from(text)
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += step) yield bytes.subarray(at, at + step)
  }
  const tally = new LineTally(keep)
  const out: Buffer[] = []
  for await (const chunk of tallied(pieces(), tally)) out.push(chunk)
  return { lines: tally.lines, last: tally.lastLine(), out: Buffer.concat(out).toString() }
}

test.each([
  ['', 0, undefined, ''],
  ['a', 1, 'a', 'a\n'],
  ['a\n', 1, 'a', 'a\n'],
  ['a\nbc', 2, 'bc', 'a\nbc\n'],
  ['a\n\n\r\nbc\n\n', 2, 'bc', 'a\n\n\r\nbc\n\n'],
  ['a\r\nbc\r\n', 2, 'bc', 'a\r\nbc\r\n'],
  ['\n\n', 0, undefined, '\n\n'],
  [' \t\r\n  a\n \n\t', 1, 'a', ' \t\r\n  a\n \n\t'],
  ['\ufeff\r\na', 1, 'a', '\ufeff\r\na\n'],
  ['\ufeff', 0, undefined, '\ufeff'],
  ['é\u2028x\ny', 2, 'y', 'é\u2028x\ny\n'],
])('%j has %i lines', async (text, lines, last, out) => {
  for (let step = 1; step <= 5; step++) expect(await run(text, step)).toEqual({ lines, last, out })
})

test('a last line longer than what is kept is not returned', async () => {
  expect(await run(`a\n${'x'.repeat(11)}`, 3, 10)).toMatchObject({ lines: 2, last: undefined })
  expect(await run(`${'x'.repeat(11)}\na`, 3, 10)).toMatchObject({ lines: 2, last: 'a' })
})

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

test('data that is cut short, changed, or no gzip at all is asked for again', async () => {
  const packed = gzipSync(LINES)
  const changed = Buffer.from(packed)
  changed[packed.length - 6]! ^= 1
  const retry = { fate: 'retry', message: expect.stringContaining('a test: the compressed data is damaged') }
  for (const bad of [packed.subarray(0, 0), packed.subarray(0, 500), changed, Buffer.from('<html>')]) {
    await expect(whole(gunzipped(inPieces(bad, 333), 'a test'))).rejects.toMatchObject(retry)
  }
})

test("a body's own failure is passed on, packed and unpacked: half a body becomes no part", async () => {
  async function* failing() {
    yield gzipSync(LINES).subarray(0, 100)
    throw new Error('the connection broke')
  }
  await expect(whole(gunzipped(failing(), 'a test'))).rejects.toThrow('the connection broke')
  await expect(whole(gzipped(failing()))).rejects.toThrow('the connection broke')
})
