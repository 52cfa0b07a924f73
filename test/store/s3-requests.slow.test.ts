import { createServer, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { S3Store } from '../../src/store/s3.ts'
import { MIB } from '../../src/text/units.ts'
import { testBucket } from '../helpers/bucket.ts'
import { listening } from '../helpers/listening.ts'
import { patience } from '../helpers/patience.ts'

const server = testBucket()
afterEach(() => {
  server.mischief = []
  server.silent = () => false
  server.strikes = () => undefined
})

const BYTES = Buffer.alloc(9 * MIB, 'a')
const HURRIED = { attempts: 2, quietMs: patience(200) }
const hurried = (location: string) => new S3Store(location, { hurried: HURRIED })
/** For a server that gives no whole answer, however long one waits: no slow machine makes a difference. */
const IMPATIENT = { attempts: 2, quietMs: 300 }
const impatient = (location: string) => new S3Store(location, { hurried: IMPATIENT })

/** The end of an upload: the second POST of a put. */
function atTheEnd(): (method: string) => boolean {
  let posts = 0
  return (method) => method === 'POST' && ++posts === 2
}

/** A server which gives each request the same bytes when its head has come, by `give`, and reads no further. */
async function deaf(give: (socket: Socket) => void): Promise<string> {
  const raw = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.pause()
      give(socket)
    })
  })
  return `s3://bucket/p?endpoint=${await listening(raw)}`
}

test.each(['lost', 'cut'] as const)(
  'an upload whose last answer is %s is known to be stored',
  async (kind) => {
    for (const condition of [undefined, 'absent'] as const) {
      const store = hurried(server.location(`${kind}-${condition}`))
      await store.put('small', Buffer.from('probes first'), 'absent')
      server.mischief = [{ kind, matches: atTheEnd() }]
      const put = await store.put('a', BYTES, condition)
      expect(server.mischief).toEqual([])
      expect(put.version).toBe((await store.load('a'))?.version)
    }
  },
)

test('an upload that another one ended is not taken for stored', async () => {
  const store = hurried(server.location('ended'))
  await store.put('a', Buffer.alloc(9 * MIB, 'b'))
  const isLast = atTheEnd()
  const ends = (method: string) => {
    if (!isLast(method)) return false
    server.uploads.clear()
    return true
  }
  server.mischief = [{ kind: 'lost', matches: ends }]
  await expect(store.put('a', BYTES)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringContaining('its upload was ended'),
  })
})

test('a failed upload does not wait for a bucket that has fallen silent', async () => {
  const store = hurried(server.location('silent'))
  const asked: string[] = []
  server.silent = (method) => {
    asked.push(method)
    return method !== 'POST'
  }
  await expect(store.put('a', BYTES)).rejects.toMatchObject({ code: 'unavailable' })
  expect(asked).toEqual(['POST', 'PUT', 'PUT', 'DELETE'])
})

test.each([
  ['a refusal', 'HTTP/1.1 503 Slow\r\nContent-Length: 0\r\n\r\n'],
  ['a yes without a tag', 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ['nothing', ''],
  ['half a head', 'HTTP/1.1 200 OK\r\nContent-'],
  ['an error that never ends', 'HTTP/1.1 500 No\r\nContent-Length: 99999\r\n\r\n<Error>'],
])('%s before the body is read ends a write', async (_, bytes) => {
  const store = impatient(await deaf((socket) => socket.write(bytes)))
  await expect(store.put('a', Buffer.alloc(7 * MIB))).rejects.toMatchObject({ code: 'unavailable' })
})

test.each(['200 OK', '503 Slow Down'])('%s that drips for ever ends reads and writes', async (status) => {
  const store = impatient(
    await deaf((socket) => {
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 9999999\r\n\r\n`)
      const timer = setInterval(() => socket.write('\n'), 20)
      socket.on('close', () => clearInterval(timer))
    }),
  )
  const writes = [store.put('a', Buffer.from('a')), store.put('b', BYTES), store.remove('a')]
  const reads = [store.list(), store.sweep(), ...(status !== '200 OK' ? [store.load('a')] : [])]
  for (const asked of await Promise.allSettled([...writes, ...reads]))
    expect(asked).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } })
})

test('a range that is refused is empty only if the object ends before it', async () => {
  const store = hurried(server.location('refused'))
  await store.put('a', BYTES.subarray(0, 10))
  const read = async (start: number) => {
    let length = 0
    for await (const chunk of store.read('a', { start, end: 20 })) length += chunk.length
    return length
  }
  expect([await read(9), await read(10), await read(11)]).toEqual([1, 0, 0])
  server.strikes = (method) => (method === 'GET' ? 'range' : undefined)
  await expect(read(9)).rejects.toMatchObject({ name: 'PosthaulError', fate: expect.any(String) })
})
