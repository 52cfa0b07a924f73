import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'

/** Values as they stand in a source; each must stand so in the part and in the request. */
const VALUES = [
  '12345678901234567890',
  '-9007199254740993',
  '1.0',
  '1E+5',
  '1e-400',
  '-0',
  '0.10',
  String.raw`"\u00e9"`,
  '"é"',
  String.raw`"a\/b"`,
  String.raw`"\ud83d\ude00 pair"`,
  '"line\u2028separator"',
  '{"b" : [1, 2.50,{"c":null}] }',
  '[ ]',
  'true',
]

/** What the service would refuse with the whole batch, and what it becomes. */
const MENDED = [
  [String.raw`"half \ud800 pair"`, String.raw`"half \ufffd pair"`],
  ['1e400', '"1e400"'],
] as const

const properties = [...VALUES, ...MENDED.map(([before]) => before)]
  .map((value, i) => `"p${i}":${value}`)
  .join(',')
const expected = [...VALUES, ...MENDED.map(([, after]) => after)].map((value, i) => `"p${i}":${value}`)

/** A service that says Ok and keeps what it was sent. */
async function recorder(): Promise<{ env: Record<string, string>; bodies: string[] }> {
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      bodies.push(gunzipSync(Buffer.concat(chunks)).toString('utf8'))
      response.setHeader('content-type', 'application/json').end('{"status":"Ok"}')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const host = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    env: { POSTHOG_INGEST_HOST: host, POSTHOG_HOST: host, POSTHOG_PROJECT_API_KEY: 'phc_bytes' },
    bodies,
  }
}

function expectAll(text: string): void {
  for (const member of expected) expect(text).toContain(member)
}

test('from a vendor record to the request, every untouched value keeps its bytes', async () => {
  const folder = testFolder()
  const file = join(folder, 'raw.ndjson')
  const record = `{"event":"Bytes","properties":{"time":1709287200,"distinct_id":"u","$insert_id":"i",${properties}}}`
  writeFileSync(file, `${record}\n`)
  const out = join(folder, 'events')
  const { code, stdout } = await runCli([
    'transform',
    '--preset',
    'mixpanel',
    '--in',
    file,
    '--out',
    out,
    '--json',
  ])
  expect(code).toBe(0)
  const summary = JSON.parse(stdout) as {
    mends: Record<string, number>
    big_integers: Record<string, number>
  }
  expect(summary.mends).toMatchObject({ lone_surrogate: 1, huge_number: 1, big_integer: 0 })
  expect(summary.big_integers).toEqual({ p0: 1, p1: 1 })
  const part = readdirSync(out).find((name) => name.startsWith('2024-'))!
  expectAll(readFileSync(join(out, part), 'utf8'))

  const { env, bodies } = await recorder()
  expect((await runCli(['import', '--dataset', out], env)).code).toBe(0)
  expectAll(bodies.join(''))
})

test("from a file of the service's own events to the request, too", async () => {
  const folder = testFolder()
  const file = join(folder, 'events.ndjson')
  const time = '2024-03-01T10:00:00.123456Z'
  writeFileSync(
    file,
    `{"event":"Bytes","timestamp":"${time}","properties":{"distinct_id":"u",${properties}}}\n`,
  )
  const { env, bodies } = await recorder()
  const { code, stdout } = await runCli(['import', '--file', file, '--json'], env)
  expect(code).toBe(0)
  expectAll(bodies.join(''))
  expect(bodies.join('')).toContain(`"timestamp":"${time}"`)
  expect(JSON.parse(stdout)).toMatchObject({
    mends: { lone_surrogate: 1, huge_number: 1 },
    big_integers: { p0: 1, p1: 1 },
  })
})

test('asked for, integers over 2^53 leave as strings of the same digits', async () => {
  const folder = testFolder()
  const file = join(folder, 'events.ndjson')
  writeFileSync(
    file,
    '{"event":"Big","timestamp":"2024-03-01T10:00:00Z","distinct_id":"u","properties":{"id":12345678901234567890,"n":7}}\n',
  )
  const { env, bodies } = await recorder()
  const { code } = await runCli(['import', '--file', file, '--big-integers', 'string'], env)
  expect(code).toBe(0)
  expect(bodies.join('')).toContain('"id":"12345678901234567890","n":7')
})
