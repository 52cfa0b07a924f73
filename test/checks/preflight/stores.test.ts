import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { preflight } from '../../../src/checks/preflight/preflight.ts'
import type { NamedPlace } from '../../../src/checks/preflight/subject.ts'
import { testFolder } from '../../helpers/folder.ts'
import { oddServer } from '../../helpers/odd-server.ts'
import { type S3Options, S3Server } from '../../helpers/s3-server.ts'
import { levelsOf, subject, testTools, wordsOf } from './tools.ts'

const credentials = new S3Server().env
beforeAll(() => {
  for (const [name, value] of Object.entries(credentials)) vi.stubEnv(name, value)
})
afterAll(() => vi.unstubAllEnvs())

async function bucket(options?: S3Options) {
  const server = await new S3Server(options).start()
  onTestFinished(() => server.close())
  return server
}

const look = (place: Pick<NamedPlace, 'location'> & Partial<NamedPlace>) =>
  preflight(subject({ places: [{ what: 'store', use: 'writes', ...place }] }), testTools())

const stores = async (...args: Parameters<typeof look>) =>
  (await look(...args)).filter(({ code }) => code === 'store')

describe('a bucket', () => {
  test('is written to, read and removed from, and is as it was', async () => {
    const server = await bucket()
    const found = await stores({ location: server.location('history'), conditional: true })
    expect(levelsOf(found)).toEqual(['ok store'])
    expect(wordsOf(found, 'store')).toContain(
      's3://bucket/history can be listed, written, read and removed from',
    )
    expect(server.objects.size).toBe(0)
  })

  test.each([
    ['PUT', 's3:PutObject', 'written to'],
    ['GET', 's3:GetObject', 'read'],
    ['DELETE', 's3:DeleteObject', 'removed from'],
  ])('without the right to %s names %s', async (wanted, action, doing) => {
    const server = await bucket()
    server.refuses = (method, key) => method === wanted && key !== ''
    const found = await stores({ location: server.location('history') })
    expect(levelsOf(found)).toEqual(['error store'])
    expect(wordsOf(found, 'store')).toContain(`can't be ${doing}`)
    expect(wordsOf(found, 'store')).toContain(action)
    if (wanted === 'DELETE') expect(wordsOf(found, 'store')).toMatch(/posthaul-probe-\w+\/probe is left over/)
  })

  test('that gives back something else than was written can keep nothing', async () => {
    const server = await bucket()
    server.refuses = (method, key) => {
      const written = method === 'GET' ? server.objects.get(key) : undefined
      if (written) server.objects.set(key, { ...written, bytes: Buffer.from('of somebody else') })
      return false
    }
    const found = await stores({ location: server.location('history') })
    expect(levelsOf(found)).toEqual(['error store'])
    expect(wordsOf(found, 'store')).toContain('it reads back something other than what was written')
  })

  test('that ignores conditions can keep no state', async () => {
    const server = await bucket({ conditions: 'ignored' })
    const location = server.location('history')
    expect(wordsOf(await stores({ location, conditional: true }), 'store')).toContain(
      "can't keep two runs apart",
    )
    expect(levelsOf(await stores({ location }))).toEqual(['ok store'])
    expect(server.objects.size).toBe(0)
  })

  test('that is not there, or in another region, says so', async () => {
    const server = await bucket()
    const location = server.location('x').replace('s3://bucket', 's3://nowhere')
    expect(wordsOf(await stores({ location }), 'store')).toContain('there is no such bucket')
    const moved = await oddServer(() => ({
      status: 301,
      headers: { 'content-type': 'application/xml' },
      body: '<Error><Code>PermanentRedirect</Code><Message>moved</Message></Error>',
    }))
    onTestFinished(() => moved.close())
    const elsewhere = await stores({ location: `s3://bucket/x?endpoint=${moved.url}` })
    expect(levelsOf(elsewhere)).toEqual(['error store'])
    expect(wordsOf(elsewhere, 'store')).toContain('AWS_REGION')
  })

  test('an address that is none is a finding too', async () => {
    expect(levelsOf(await stores({ location: 's3://x' }))).toEqual(['error store'])
  })
})

describe('a folder', () => {
  test('that is to be made is well, and a file in its way is not', async () => {
    const folder = testFolder()
    expect(levelsOf(await stores({ location: join(folder, 'a/b/c') }))).toEqual(['ok store'])
    writeFileSync(join(folder, 'file'), '')
    expect(levelsOf(await stores({ location: join(folder, 'file/events') }))).toEqual(['error store'])
  })

  test('that is to be read must be there', async () => {
    const location = join(testFolder(), 'raw')
    expect(levelsOf(await stores({ location, use: 'reads' }))).toEqual(['error store'])
    mkdirSync(location)
    expect(levelsOf(await stores({ location, use: 'reads' }))).toEqual(['ok store'])
  })
})

test('an input that is not there is a finding', async () => {
  const folder = testFolder()
  const missing = await preflight(subject({ input: { files: [join(folder, 'no.ndjson')] } }), testTools())
  expect(levelsOf(missing)).toEqual(['ok node', 'error input'])
  writeFileSync(join(folder, 'a.ndjson'), '{"event":"a"}\n')
  const there = await preflight(subject({ input: { files: [folder] } }), testTools())
  expect(levelsOf(there)).toEqual(['ok node', 'ok input'])
})
