import { randomBytes } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { openStore } from '../../src/store/open.ts'
import { S3Store } from '../../src/store/s3.ts'
import { testBucket } from '../helpers/bucket.ts'
import { ConnectProxy } from '../helpers/connect-proxy.ts'
import { oddServer } from '../helpers/odd-server.ts'
import { S3Server } from '../helpers/s3-server.ts'
import { storeConformance } from './conformance.ts'

const server = testBucket()
let prefixes = 0

const fresh = async () => new S3Store(server.location(`place-${++prefixes}/events`))

async function read(store: S3Store, ...what: Parameters<S3Store['read']>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of store.read(...what)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** An answer that breaks off. */
const cut = { kind: 'cut', matches: (method: string) => method === 'GET' } as const

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

storeConformance('s3', fresh)

test('a large file goes up in parts, and is seen only when it is whole', async () => {
  const store = await fresh()
  const bytes = randomBytes(16 * 1024 * 1024 + 1)
  const seen: number[] = []
  async function* watched() {
    for await (const chunk of inPieces(bytes, 1_000_000)) {
      yield chunk
      seen.push((await store.list()).length)
    }
  }
  const put = await store.put('large.ndjson', watched(), 'absent')
  expect(Math.max(...seen)).toBe(0)
  expect(put.bytes).toBe(bytes.length)
  expect(put.version).toMatch(/-3"$/)
  expect(bytes.equals(await read(store, 'large.ndjson'))).toBe(true)
  await expect(store.put('large.ndjson', inPieces(bytes, 9_000_000), 'absent')).rejects.toMatchObject({
    code: 'mismatch',
  })
  expect(server.uploads.size).toBe(0)
})

test('a large body that fails leaves neither file nor upload', async () => {
  const store = await fresh()
  async function* failing() {
    yield* inPieces(Buffer.alloc(20_000_000), 1_000_000)
    throw new Error('the source broke')
  }
  await expect(store.put('large.ndjson', failing())).rejects.toThrow('the source broke')
  expect(await store.list()).toEqual([])
  expect(server.uploads.size).toBe(0)
})

test('uploads that killed runs left are swept, in this place alone', async () => {
  const store = await fresh()
  const { key } = { key: store.address('x').replace(/^s3:\/\/bucket\/|\?.*$/g, '') }
  for (const name of ['1', '2', '3', '4', '5', '6'])
    server.uploads.set(name, { key: `${key}${name}`, parts: new Map(), begun: new Date() })
  server.uploads.set('foreign', { key: `other/${key}`, parts: new Map(), begun: new Date(0) })
  // What a page names can be gone when it is ended.
  const gone = (method: string, of: string) =>
    method === 'DELETE' && of.endsWith('x1') && server.uploads.delete('1')
  server.mischief = [{ kind: 'error', matches: gone }]
  await store.sweep()
  expect([...server.uploads.keys()]).toEqual(['foreign'])
  server.uploads.clear()
})

test('a read that breaks off goes on where it was', async () => {
  const store = await fresh()
  const bytes = randomBytes(3_000_000)
  await store.put('a.ndjson', bytes)
  server.mischief = [cut, cut]
  expect(bytes.equals(await read(store, 'a.ndjson'))).toBe(true)
  server.mischief = [cut]
  const part = await read(store, 'a.ndjson', { start: 1000, end: 2_000_000 })
  expect(bytes.subarray(1000, 2_000_000).equals(part)).toBe(true)
})

test('a small object whose answers break off is read in six tries, like a large one', async () => {
  const store = await fresh()
  await store.put('state.json', Buffer.from('{"n":1}'))
  server.mischief = [cut, cut, cut]
  expect(Buffer.from((await store.load('state.json'))!.bytes).toString()).toBe('{"n":1}')
  server.mischief = Array.from({ length: 5 }, () => cut)
  // An answer that stops before its first byte brings nothing.
  await store.put('one.json', Buffer.from('1'))
  expect(Buffer.from((await store.load('one.json'))!.bytes).toString()).toBe('1')
  expect(server.mischief).toEqual([])
})

test('a small object that is replaced between two tries is read anew', async () => {
  const store = await fresh()
  await store.put('state.json', Buffer.alloc(1000, 'a'))
  const key = [...server.objects.keys()].findLast((name) => name.endsWith('state.json'))!
  const replace = () => {
    server.objects.set(key, { bytes: Buffer.from('new'), etag: '"new"' })
    return false
  }
  server.mischief = [
    { kind: 'cut', matches: () => true },
    { kind: 'cut', matches: replace },
  ]
  const loaded = await store.load('state.json')
  server.mischief = []
  expect([Buffer.from(loaded!.bytes).toString(), loaded!.version]).toEqual(['new', '"new"'])
})

test('listings whose answers break off are asked for again', async () => {
  const store = await fresh()
  for (const name of ['a', 'b', 'c', 'd']) await store.put(name, Buffer.from(name))
  server.mischief = [cut, cut]
  expect((await store.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c', 'd'])
  server.mischief = [cut, cut]
  await store.sweep()
  expect(server.mischief).toEqual([])
})

test('requests that are asked to slow down are all answered in the end', async () => {
  const store = await fresh()
  const names = ['a', 'b']
  const slow = { kind: 'error', matches: (method: string) => method === 'PUT' } as const
  server.mischief = [slow, slow, slow]
  await Promise.all(names.map((name) => store.put(name, Buffer.from(name))))
  expect(server.mischief).toEqual([])
  expect((await store.list()).map(({ name }) => name)).toEqual(names)
})

test('a read whose file is replaced on the way is an error, not a mixture', async () => {
  const store = await fresh()
  await store.put('a.ndjson', Buffer.alloc(3_000_000, 'a'))
  server.mischief = [cut]
  const reading = async () => {
    let first = true
    for await (const _ of store.read('a.ndjson')) {
      if (first) await store.put('a.ndjson', Buffer.alloc(3_000_000, 'b'))
      first = false
    }
  }
  await expect(reading()).rejects.toMatchObject({ message: expect.stringContaining('a.ndjson') })
  server.mischief = []
})

test('a bucket that ignores the conditions of reads gives no mixture either', async () => {
  const ignoring = await new S3Server({ conditions: 'ignored' }).start()
  const store = new S3Store(ignoring.location('events'))
  await store.put('a.ndjson', Buffer.from('one'))
  const [listed] = await store.list()
  await store.put('a.ndjson', Buffer.from('two'))
  const reading = read(store, 'a.ndjson', { start: 0, end: 9 }, listed?.etag)
  await expect(reading).rejects.toMatchObject({ code: 'mismatch' })
  await ignoring.close()
})

test('an object is read as it was listed, or not at all', async () => {
  const store = await fresh()
  await store.put('a.ndjson', Buffer.from('one'))
  const [listed] = await store.list()
  const readListed = () => read(store, 'a.ndjson', { start: 0, end: 9 }, listed?.etag)
  expect(String(await readListed())).toBe('one')
  await store.put('a.ndjson', Buffer.from('two'))
  await expect(readListed()).rejects.toMatchObject({
    code: 'mismatch',
    message: `${store.address('a.ndjson')} was replaced or removed since it was listed`,
  })
  await store.remove('a.ndjson')
  await expect(readListed()).rejects.toMatchObject({ code: 'mismatch' })
})

test('a conditional put whose answer is lost knows that it has won', async () => {
  const store = await fresh()
  server.mischief = [{ kind: 'lost', matches: (method, key) => method === 'PUT' && key.endsWith('/a.json') }]
  const put = await store.put('a.json', Buffer.from('mine'), 'absent')
  expect(put.version).toBe((await store.load('a.json'))?.version)
  server.mischief = [{ kind: 'error', matches: (method, key) => method === 'PUT' && key.endsWith('/a.json') }]
  await store.put('a.json', Buffer.from('mine too'), { version: put.version })
  expect((await read(store, 'a.json')).toString()).toBe('mine too')
})

test.each([undefined, 'absent'] as const)(
  'a put in parts whose last answer is lost knows that it is done, on the condition %s',
  async (condition) => {
    const store = await fresh()
    // Whether the bucket keeps conditions is asked once, with requests of its own.
    await store.put('small.json', Buffer.from('{}'), 'absent')
    const bytes = randomBytes(8 * 1024 * 1024 + 1)
    const putLosing = (name: string, after: (method: string, key: string) => void) => {
      let posts = 0
      server.strikes = (method, key) => {
        if (method !== 'POST') return undefined
        posts++
        if (posts > 2) after(method, key)
        return posts === 2 ? 'lost' : undefined
      }
      return store.put(name, inPieces(bytes, 1_000_000), condition)
    }
    onTestFinished(() => {
      server.strikes = () => undefined
    })
    const put = await putLosing('large.ndjson', () => {})
    expect(put.version).toBe((await store.load('large.ndjson'))?.version)
    expect(bytes.equals(await read(store, 'large.ndjson'))).toBe(true)
    // The file of somebody else is not taken for ours, though it is as long.
    const foreign = { bytes: Buffer.alloc(bytes.length), etag: '"foreign"' }
    const replaced = putLosing('other.ndjson', (_, key) => void server.objects.set(key, foreign))
    await expect(replaced).rejects.toThrow()
  },
)

test.each(['ignored', 'refused', 'absent alone'] as const)(
  'says so when conditions are kept like this: %s',
  async (conditions) => {
    const lacking = await new S3Server({ conditions }).start()
    const store = new S3Store(lacking.location('events'))
    await store.put('a.json', Buffer.from('plain puts work'))
    await expect(store.put('b.json', Buffer.from('1'), 'absent')).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('no conditional writes'),
    })
    expect((await store.list()).map((file) => file.name)).toEqual(['a.json'])
    expect([...lacking.objects.keys()]).toEqual(['events/a.json'])
    await lacking.close()
  },
)

test.each<[string, string, (store: S3Store) => Promise<unknown>]>([
  [
    'a list that does not say whether it is all is none',
    '<ListBucketResult><Contents><Key>x/a.json</Key><Size>1</Size></Contents></ListBucketResult>',
    (store) => store.list(),
  ],
  [
    'a list of unfinished uploads that goes round ends',
    '<ListMultipartUploadsResult><IsTruncated>true</IsTruncated><NextKeyMarker>x/a</NextKeyMarker></ListMultipartUploadsResult>',
    (store) => store.sweep(),
  ],
])('%s', async (_, body, work) => {
  const odd = await oddServer(() => ({ headers: { 'content-type': 'application/xml' }, body }))
  onTestFinished(() => odd.close())
  const store = new S3Store(`s3://bucket/x?endpoint=${odd.url}`)
  await expect(work(store)).rejects.toMatchObject({ name: 'PosthaulError' })
})

test('wrong credentials and missing buckets are told for what they are', async () => {
  await expect(new S3Store(`s3://nowhere/x?endpoint=${server.url}`).list()).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('no such bucket'),
  })
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKIDWRONG')
  const stranger = new S3Store(server.location('x'))
  await expect(stranger.list()).rejects.toMatchObject({ code: 'auth' })
  vi.stubEnv('AWS_ACCESS_KEY_ID', server.env.AWS_ACCESS_KEY_ID)
})

test('AWS_ENDPOINT_URL_S3 says where buckets are whose address does not', async () => {
  expect(await new S3Store('s3://bucket/nothing-here').list()).toEqual([])
  vi.stubEnv('AWS_ENDPOINT_URL_S3', 'https://me:secret@minio.example.com')
  expect(() => new S3Store('s3://bucket/x')).toThrow('AWS_ENDPOINT_URL_S3 is not the address')
  expect(await new S3Store(server.location('nothing-here')).list()).toEqual([])
  vi.stubEnv('AWS_ENDPOINT_URL_S3', server.url)
})

test('openStore opens buckets by their address', async () => {
  const store = await openStore(server.location('by-address'))
  await store.put('a.json', Buffer.from('x'))
  expect(store.address('a.json')).toBe(`s3://bucket/by-address/a.json?endpoint=${server.url}`)
  await expect(openStore('s3://b')).rejects.toMatchObject({ code: 'usage' })
})

test('a bucket elsewhere is reached through the proxy that the environment names', async () => {
  const proxy = await new ConnectProxy().start(Number(new URL(server.url).port))
  vi.stubEnv('HTTP_PROXY', `http://me:hush@${proxy.host}`)
  onTestFinished(async () => {
    vi.stubEnv('HTTP_PROXY', undefined)
    await proxy.close()
  })
  const store = new S3Store('s3://bucket/proxied?endpoint=http://storage.test:9000')
  const bytes = randomBytes(300_000)
  await store.put('a.ndjson', bytes, 'absent')
  expect(bytes.equals(await read(store, 'a.ndjson'))).toBe(true)
  expect(new Set(proxy.asked.map(({ target }) => target))).toEqual(new Set(['storage.test:9000']))
  proxy.mood = 407
  // A connection that is open already asks the proxy for nothing.
  const error = await new S3Store(store.location).list().catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'config',
    message: expect.stringContaining(`the proxy http://${proxy.host} (HTTP_PROXY) answered 407`),
    hint: expect.stringContaining('check HTTP_PROXY'),
  })
  expect(inspect(error, { depth: 9 })).not.toContain('hush')
})
