import { randomBytes } from 'node:crypto'
import { createGzip, gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Compressor, Packer } from '../../src/service/packer.ts'

test('every body comes back as it was, however many share a compressor', async () => {
  const packer = new Packer()
  const bodies = Array.from({ length: 30 }, (_, n) => {
    const line = `{"uuid":"${n}","event":"$pageview","distinct_id":"u${n}"},`
    return n % 3 === 0 ? Buffer.from(line.repeat(n * 700)) : randomBytes(n * 50_000)
  })
  const packed = await Promise.all(bodies.map((body) => packer.pack(body)))
  for (const [n, body] of bodies.entries())
    expect(gunzipSync(packed[n]!).equals(body), `body ${n}`).toBe(true)
  // Each body becomes a whole gzip member: nothing of an earlier one is left in the compressor.
  for (const body of bodies.slice(0, 6)) expect(gunzipSync(await packer.pack(body)).equals(body)).toBe(true)
})

test('a compressor that fails rejects its body, and is not used again', async () => {
  let made = 0
  const packer = new Packer(() => {
    const gzip = createGzip() as Compressor
    if (made++ === 0) gzip._transform = (_chunk, _encoding, done) => done(new Error('out of memory'))
    return gzip
  })
  await expect(packer.pack(Buffer.from('first'))).rejects.toThrow('out of memory')
  // By now the failed compressor has emitted all its events.
  await new Promise(setImmediate)
  expect(gunzipSync(await packer.pack(Buffer.from('second'))).toString()).toBe('second')
  expect(made).toBe(2)
})
