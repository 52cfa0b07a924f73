import { request } from 'node:http'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { S3Store } from '../../src/store/s3.ts'
import { ForeignS3 } from '../helpers/s3rver.ts'
import { storeConformance } from './conformance.ts'

let server: ForeignS3
let prefixes = 0
beforeAll(async () => {
  server = await new ForeignS3().start()
  for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await server.close()
})

const fresh = async (singleWriter?: boolean) =>
  new S3Store(server.location(`place-${++prefixes}/events`), { singleWriter })

// What is expected of a service that ignores conditions: without the user's word it is not relied on.
storeConformance('s3rver', () => fresh(), 'refused')
storeConformance('s3rver with one writer', () => fresh(true), 'checked')

test('the option that helps is named where the command has it', async () => {
  const put = (singleWriter?: boolean) =>
    fresh(singleWriter).then((store) => store.put('a', Buffer.from('x'), 'absent'))
  await expect(put(false)).rejects.toMatchObject({ hint: expect.stringContaining('POSTHAUL_SINGLE_WRITER') })
  await expect(put()).rejects.toMatchObject({ hint: expect.not.stringContaining('POSTHAUL_SINGLE_WRITER') })
})

test('an object that was replaced is told by its ETag, where the condition of a read is ignored', async () => {
  const store = await fresh()
  await store.put('a', Buffer.from('one'))
  const [listed] = await store.list()
  const first = () => store.read('a', undefined, listed?.etag).next()
  expect((await first()).value?.toString()).toBe('one')
  await store.put('a', Buffer.from('two'))
  await expect(first()).rejects.toMatchObject({ code: 'mismatch' })
})

test('a put that is cut off leaves what was there, as at a real service', async () => {
  const store = await fresh(true)
  await store.put('a', Buffer.from('whole'))
  const url = `${server.url}/bucket/place-${prefixes}/events/a`
  for (let n = 0; n < 20; n++) {
    const cut = request(url, { method: 'PUT', headers: { 'content-length': 5 } })
    cut.on('error', () => undefined)
    await new Promise((resolve) => cut.write('cu', resolve))
    expect(Buffer.from((await store.load('a'))?.bytes ?? []).toString()).toBe('whole')
    cut.destroy()
    expect(Buffer.from((await store.load('a'))?.bytes ?? []).toString()).toBe('whole')
  }
})
