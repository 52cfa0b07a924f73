import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { fileCell } from '../../../src/state/cell.ts'
import { acquireLease } from '../../../src/state/lease.ts'
import { type RunOptions, runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { withoutLog } from '../../helpers/screen.ts'
import { unfolded } from '../../helpers/unfolded.ts'
import { FakeAmplitude } from '../../helpers/vendors/amplitude.ts'
import { FakeMixpanel, type FakeMixpanelOptions } from '../../helpers/vendors/mixpanel.ts'
import { started } from '../../sources/harness.ts'

// Days of over two years ago are asked for in another way.
const real = Date.now
const BACK_MS = real() - Date.UTC(2025, 5, 1, 12)
beforeEach(() => void vi.spyOn(Date, 'now').mockImplementation(() => real() - BACK_MS))
afterEach(() => void vi.restoreAllMocks())

const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
const ENV = {
  MIXPANEL_PROJECT_ID: '42',
  MIXPANEL_SERVICE_ACCOUNT: 'service-user',
  MIXPANEL_SERVICE_SECRET: 'service-secret',
}
const AMPLITUDE = { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' }
const SECRETS = ['service-secret', Buffer.from('service-user:service-secret').toString('base64')]

const events = Array.from({ length: 1234 }, (_, i) => ({
  event: 'Plan Chosen',
  properties: { time: FROM + (i % 3) * DAY + i, distinct_id: `u${i % 9}`, $insert_id: `id-${i}` },
}))

const mixpanel = (options: Partial<FakeMixpanelOptions> = {}) =>
  started(new FakeMixpanel({ events, ...options }))

/** How many windows a fake was asked for. */
const windowsAsked = ({ seen }: FakeMixpanel) =>
  seen.filter(({ url }) => url.pathname === '/api/2.0/export').length

const DAYS = ['--from', '2024-03-01', '--to', '2024-03-04']

async function exported(fake: FakeMixpanel, out: string, more: string[] = [], options: RunOptions = {}) {
  const usual = [...DAYS, '--out', out, '--base-url', fake.url]
  // An option is given once: what the test says counts.
  const kept = usual.filter((_, at) => !more.includes(usual[at - (at % 2)]!))
  const argv = ['export', 'mixpanel', ...kept, ...more]
  const ran = await runCommand(argv, { env: ENV, ...options })
  for (const secret of SECRETS) expect(ran.stdout + ran.stderr).not.toContain(secret)
  const tidy = (text: string) =>
    text
      .replaceAll(out, 'raw/')
      // A folder with a longer name stands on a line of its own.
      .replace(/\n {2,}raw\//, ' raw/')
      .replaceAll(fake.url, 'https://proxy.example.com')
      .replaceAll(/after \d+ s/g, 'after 1 s')
      .replaceAll(/, [\d.]+ KiB/g, ', 9.9 KiB')
  return { ...ran, stdout: tidy(ran.stdout), stderr: tidy(withoutLog(ran.stderr)) }
}

/** No line is wider than a terminal, but for commands, which a terminal may wrap. */
function expectNarrow(text: string): void {
  expect(
    text.split('\n').filter((line) => line.length > 80 && !/^ {2}(?:then|next|once .*):/.test(line)),
  ).toEqual([])
}

test('a whole export, and the same one again', async () => {
  const fake = await mixpanel()
  const out = testFolder()
  const ran = await exported(fake, out)
  expect(ran).toMatchObject({ code: 0, stdout: '' })
  expectNarrow(ran.stderr)
  await expect(ran.stderr).toMatchFileSnapshot('../../golden/export.txt')
  const asked = windowsAsked(fake)
  const again = await exported(fake, out)
  expect(again.code).toBe(0)
  expect(windowsAsked(fake)).toBe(asked)
  await expect(again.stderr).toMatchFileSnapshot('../../golden/export-again.txt')
})

test('the summary as JSON', async () => {
  const ran = await exported(await mixpanel(), testFolder(), ['--json'])
  expect(JSON.parse(ran.stdout)).toMatchObject({
    version: 1,
    command: 'export',
    vendor: 'mixpanel',
    finished: true,
    counts: { read: 1234, written: 1234, rejected: 0, filtered: 0, duplicate: 0, pending: 0 },
    windows: { asked: 3, fetched: 3, missing: 0, refused: [] },
    dataset: { parts: 3, records: 1234 },
    late: [],
    error: null,
  })
})

test('a dry run sends nothing, and says what it would fetch and how long that takes', async () => {
  const fake = await mixpanel()
  const out = testFolder()
  await exported(fake, out, ['--from', '2024-03-02'])
  const asked = fake.seen.length
  const ran = await exported(fake, out, ['--from', '2023-12-01', '--dry-run'])
  expect(ran.code).toBe(0)
  expect(fake.seen.length).toBe(asked)
  expect(ran.stdout.split('\n')).toHaveLength(92 + 1)
  expect(ran.stdout).toMatch(/^2023-12-01\tGET https:\/\/proxy\.example\.com\/api\/2\.0\/export\?from_date=/)
  // 60 an hour, of which two are used up.
  expect(ran.stderr).toMatch(
    /to fetch {2}92 windows; 2 more already fetched\n {2}it takes {2}at least (?:1 h|59 min|60 min)/,
  )
  expectNarrow(ran.stderr)
  const json = await exported(fake, out, ['--from', '2023-12-01', '--dry-run', '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({ dry_run: true, windows: { asked: 94, missing: 92 } })
})

/** No midnight comes between what a test expects and what the command finds. */
function atNoon(): void {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date().setUTCHours(12, 0, 0, 0) })
  onTestFinished(() => void vi.useRealTimers())
}

test('days that Mixpanel still adds to are told', async () => {
  atNoon()
  const today = new Date().toISOString().slice(0, 10)
  const from = new Date(Date.now() - 2 * DAY).toISOString().slice(0, 10)
  const ran = await exported(await mixpanel(), testFolder(), ['--from', from, '--to', today])
  expect(ran.code).toBe(0)
  expect(ran.stderr).toContain('warning   2 windows')
  expectNarrow(ran.stderr)
})

test('without --to it ends with yesterday', async () => {
  atNoon()
  const fake = await mixpanel()
  const day = (ago: number) => new Date(Date.now() - ago * DAY).toISOString().slice(0, 10)
  const argv = ['export', 'mixpanel', '--from', day(2), '--out', testFolder(), '--base-url', fake.url]
  const { stdout } = await runCommand([...argv, '--dry-run'], { env: ENV })
  expect(stdout.split('\n').map((line) => line.split('\t')[0])).toEqual([day(2), day(1), ''])
})

test('wrong credentials end it with exit code 4, and the way to go on', async () => {
  const fake = await mixpanel()
  fake.credentials = { user: 'someone', secret: 'else' }
  const ran = await exported(fake, testFolder())
  expect(ran.code).toBe(4)
  expectNarrow(ran.stderr)
  await expect(ran.stderr).toMatchFileSnapshot('../../golden/export-credentials.txt')
})

test('credentials come out of private files too', async () => {
  const folder = testFolder()
  const [account, secret] = [join(folder, 'account'), join(folder, 'secret')]
  await writeFile(account, 'service-user\n', { mode: 0o600 })
  await writeFile(secret, 'service-secret\n', { mode: 0o600 })
  const env = {
    MIXPANEL_PROJECT_ID: '42',
    MIXPANEL_SERVICE_ACCOUNT_FILE: account,
    MIXPANEL_SERVICE_SECRET_FILE: secret,
  }
  expect((await exported(await mixpanel(), testFolder(), [], { env })).code).toBe(0)
})

test.each([
  [['--from', '2024-03-01T05'], 'inside a window'],
  [['--from', '2024-03-09'], 'is not before'],
  [['--from', 'yesterday'], 'expected a UTC time'],
  [['--to', '2999-01-01'], 'is too late'],
  [['--concurrency', '0'], 'whole number'],
  [['--base-url', 'http://proxy.example.com'], 'in the clear'],
  [['--region', 'mars'], 'expected us, eu or in'],
  [['--group-profiles', 'company'], 'data group id'],
])('%j is a mistake that is explained', async (more, words) => {
  const ran = await exported(await mixpanel(), testFolder(), more)
  expect(ran.code).toBe(2)
  expect(unfolded(ran.stderr)).toContain(words)
})

test('an hour that cannot be had leaves exit code 5, and the others are there', async () => {
  const times = ['01', '02', '02', '03'].map((hour, i) => `2024-03-01 ${hour}:00:0${i}.000000`)
  const events = times.map((time) => ({ server_upload_time: time }))
  const fake = await started(new FakeAmplitude({ events, mostEvents: 1 }))
  const out = testFolder()
  const hours = ['--from', '2024-03-01', '--to', '2024-03-01T04', '--out', out, '--base-url', fake.url]
  const ran = await runCommand(['export', 'amplitude', ...hours], { env: AMPLITUDE })
  expect(ran.code).toBe(5)
  expect(ran.stderr).toContain('2024-03-01T02')
  expect(ran.stderr).toContain('missing   1 of 4 windows')
  expect(ran.stderr).toContain('then: posthaul export amplitude')
  expect(ran.stderr).not.toContain('secret-key')
  const json = await runCommand(['export', 'amplitude', ...hours, '--json'], { env: AMPLITUDE })
  expect(JSON.parse(json.stdout)).toMatchObject({
    finished: false,
    windows: { missing: 1, refused: ['2024-03-01T02'] },
    error: { message: expect.any(String) },
  })
  const raw = await runCommand(['transform', '--preset', 'amplitude', '--in', out, '--out', testFolder()])
  expect(raw.code).toBe(2)
  expect(unfolded(raw.stderr)).toContain('has not finished')
})

test('an interrupt keeps what is there, and the same command goes on', async () => {
  const fake = await mixpanel()
  const out = testFolder()
  const interruption = new AbortController()
  let asked = 0
  fake.onRequest = () => {
    if (++asked === 2) interruption.abort('SIGTERM')
  }
  const ran = await exported(fake, out, ['--concurrency', '1'], { signal: interruption.signal })
  expect(ran.code).toBe(143)
  expect(ran.stderr).toContain('missing   2 of 3 windows')
  expect(ran.stderr).toContain('then: posthaul export mixpanel')
  fake.onRequest = () => {}
  expect((await exported(fake, out)).code).toBe(0)
  expect(windowsAsked(fake)).toBe(4)
})

test('a request is written down before it is sent: a kill gives no quota back', async () => {
  const fake = await mixpanel()
  const out = testFolder()
  const written: number[] = []
  fake.onRequest = () => {
    const state = JSON.parse(readFileSync(join(out, 'export.json'), 'utf8')) as {
      asked: { export: number[] }
    }
    written.push(state.asked.export.length)
  }
  await exported(fake, out, ['--concurrency', '1', '--no-reconcile'])
  expect(written).toEqual([1, 2, 3])
})

test('two runs on one folder are kept apart', async () => {
  const out = testFolder()
  await mkdir(out, { recursive: true })
  const lock = await acquireLease({ cell: fileCell(join(out, '.export.lock')) })
  const ran = await exported(await mixpanel(), out)
  await lock.release()
  expect(ran.code).toBe(7)
})

test.each([
  [{}, 'no credentials for Mixpanel'],
  [{ MIXPANEL_PROJECT_ID: '42', MIXPANEL_SERVICE_ACCOUNT: '' }, 'no credentials for Mixpanel'],
  [{ MIXPANEL_SERVICE_ACCOUNT: 'account' }, 'MIXPANEL_SERVICE_SECRET is not'],
  [
    { MIXPANEL_SERVICE_ACCOUNT: 'account', MIXPANEL_SERVICE_SECRET: 'secret' },
    'MIXPANEL_PROJECT_ID is not set',
  ],
])('half a login is no login: %j', async (env, said) => {
  const fake = await mixpanel()
  const { code, stderr } = await exported(fake, testFolder(), [], { env })
  expect([code, unfolded(stderr), fake.seen]).toEqual([4, expect.stringContaining(said), []])
})
