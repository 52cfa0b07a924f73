import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { type Ended, runCli, startCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { history } from '../helpers/history.ts'
import { seeded, shuffled } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

const seed = seedOf('conservation')
const NAMES = ['read', 'written', 'rejected', 'filtered', 'duplicate', 'pending'] as const
type Counts = Record<(typeof NAMES)[number], number>

/** The counts that a run printed, for its user, for scripts or for both: all six, and they add up. */
function countsOf({ stdout, stderr }: Ended): Counts {
  const shown = [...stderr.matchAll(/^ {2}([a-z]+) +([\d,]+)/gm)].filter(([, name]) =>
    NAMES.includes(name as never),
  )
  const forUser = Object.fromEntries(
    shown.map(([, name, count]) => [name, Number(count!.replaceAll(',', ''))]),
  )
  const forScripts = stdout === '' ? forUser : JSON.parse(stdout).counts
  if (shown.length > 0) expect(forScripts).toMatchObject(forUser)
  const counts = Object.fromEntries(NAMES.map((name) => [name, forScripts[name]])) as Counts
  for (const name of NAMES) expect(counts[name], `${name} in:\n${stderr}`).toBeTypeOf('number')
  const { read, written, rejected, filtered, duplicate, pending } = counts
  expect(read, stderr).toBe(written + rejected + filtered + duplicate + pending)
  return counts
}

/** Records of every fate, in any order, and how many of each. */
function mixed(random: () => number) {
  const count = (most: number) => 1 + Math.floor(random() * most)
  const fates = { written: count(300), rejected: count(30), filtered: count(30), duplicate: count(30) }
  const one = (n: number, over: object = {}) =>
    JSON.stringify({
      event: 'Kept',
      distinct_id: `u${n % 7}`,
      uuid: `65fdb562-3dcd-5dc3-bc74-${String(n).padStart(12, '0')}`,
      timestamp: new Date(Date.UTC(2024, 2, 1) + n * 3_600_000).toISOString(),
      properties: { n },
      ...over,
    })
  const bad = [
    '{"event":"Kept"',
    '[]',
    one(1, { timestamp: '25:61' }),
    one(1, { distinct_id: '' }),
    one(1, { event: 5 }),
  ]
  const many = <T>(length: number, make: (n: number) => T) => Array.from({ length }, (_, n) => make(n))
  const lines = [
    ...many(fates.written, (n) => one(n)),
    // Twice or more; of an event that is there in any case.
    ...many(fates.duplicate, (n) => one(n % fates.written)),
    ...many(fates.rejected, (n) => bad[n % bad.length]!),
    ...many(fates.filtered, (n) =>
      one(10_000 + n, n % 2 === 0 ? { event: 'Dropped' } : { timestamp: '2020-01-01T00:00:00Z' }),
    ),
  ]
  return { fates, lines: shuffled(lines, random) }
}

const MAPPING = 'preset: posthog\nevents: { drop: [Dropped] }\nfilter: { from: 2024-01-01 }\n'

test('promise 1: transform accounts for every record, whatever became of it', async () => {
  const random = seeded(seed)
  for (const kind of ['one file', 'several', 'none'] as const) {
    const folder = testFolder()
    const { fates, lines } =
      kind === 'none'
        ? { fates: { written: 0, rejected: 0, filtered: 0, duplicate: 0 }, lines: [] }
        : mixed(random)
    writeFileSync(join(folder, 'map.yaml'), MAPPING)
    const pieces = kind === 'several' ? 3 : 1
    const inputs = Array.from({ length: pieces }, (_, i) => {
      const path = join(folder, `in${i}.ndjson`)
      writeFileSync(path, lines.filter((_, n) => n % pieces === i).join('\n'))
      return path
    })
    const out = join(folder, 'out')
    const argv = [
      'transform',
      '--map',
      join(folder, 'map.yaml'),
      '--in',
      ...inputs,
      '--max-reject-ratio',
      '1',
      '--json',
    ]
    const code = fates.rejected > 0 ? 3 : 0

    const dry = await runCli([...argv, '--dry-run'])
    expect(dry.code, dry.stderr).toBe(code)
    const { rejected, filtered } = fates
    const pending = fates.written + fates.duplicate
    expect(countsOf(dry)).toEqual({
      read: lines.length,
      written: 0,
      rejected,
      filtered,
      duplicate: 0,
      pending,
    })

    const run = await runCli([...argv, '--out', out])
    expect(run.code, run.stderr).toBe(code)
    expect(countsOf(run)).toEqual({ read: lines.length, ...fates, pending: 0 })
    expect(readSoundDataset(out).manifest.counts).toMatchObject(countsOf(run))
  }
})

test('promise 1: a transform that stops at its first records accounts for those', async () => {
  const folder = testFolder()
  const path = join(folder, 'in.ndjson')
  writeFileSync(path, mixed(seeded(seed + 1)).lines.join('\n'))
  const run = await runCli([
    'transform',
    '--preset',
    'mixpanel',
    '--in',
    path,
    '--out',
    join(folder, 'out'),
    '--json',
  ])
  expect(run.code, run.stderr).toBe(2)
  const { read, rejected } = countsOf(run)
  expect(read).toBeGreaterThan(0)
  expect(rejected).toBeGreaterThan(0)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
  'promise 1: a transform ended by %s accounts for what it read',
  async (signal) => {
    const folder = testFolder()
    const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
    writeFileSync(
      path,
      [...history({ seed, bytes: 14_000_000, days: 9, people: 300, longest: 4000 })].join(''),
    )
    const argv = [
      'transform',
      '--preset',
      'amplitude',
      '--in',
      path,
      '--out',
      out,
      '--workers',
      '1',
      '--json',
    ]
    const cli = startCli(argv)
    const looking = setInterval(() => {
      if (!existsSync(join(out, '.posthaul-transform', 'unit-000000.done'))) return
      clearInterval(looking)
      cli.kill(signal)
    }, 2)
    const run = await cli.ended
    clearInterval(looking)
    expect(run.code, run.stderr).toBe(signal === 'SIGINT' ? 130 : 143)
    const { written, pending } = countsOf(run)
    expect(written).toBe(0)
    expect(pending).toBeGreaterThan(0)
    expect(run.stderr).toContain(`then: posthaul ${argv.join(' ')}`)
    expect(readdirSync(out)).not.toContain('manifest.json')

    const again = await runCli(argv)
    expect(again.code, again.stderr).toBe(3)
    const { manifest } = readSoundDataset(out)
    expect(manifest.counts).toMatchObject(countsOf(again))
  },
)

function importEnv(sandbox: Sandbox): Record<string, string> {
  const { url, projectKey } = sandbox
  return { POSTHOG_HOST: url, POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_API_KEY: projectKey }
}

test('promise 1: import accounts for every line, dry, without an answer, capped, and to its end', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const env = importEnv(sandbox)
  const { fates, lines } = mixed(seeded(seed + 2))
  const folder = testFolder()
  const path = join(folder, 'events.ndjson')
  writeFileSync(path, `${lines.join('\n')}\n`)
  const fast = ['--approved', '--max-events-per-minute', '10000000', '--batch-events', '50']
  const argv = ['import', '--file', path, ...fast]
  const good = lines.length - fates.rejected

  const dry = countsOf(await runCli([...argv, '--dry-run', '--json'], env))
  expect(dry).toMatchObject({ read: lines.length, written: 0, rejected: fates.rejected, pending: good })

  const nobody = { ...env, POSTHOG_HOST: 'http://127.0.0.1:1', POSTHOG_INGEST_HOST: 'http://127.0.0.1:1' }
  const elsewhere = ['--checkpoint', join(folder, 'elsewhere.json'), '--retry-for', '1s']
  const unanswered = await runCli([...argv, ...elsewhere, '--json'], nobody)
  expect(unanswered.code, unanswered.stderr).toBe(5)
  expect(countsOf(unanswered).written).toBe(0)

  const capped = await runCli([...argv, '--max-events', '20'], env)
  expect(capped.code, capped.stderr).toBe(good > 20 ? 5 : 3)
  expect(countsOf(capped).written).toBe(Math.min(good, 20))

  const run = await runCli(argv, env)
  expect(run.code, run.stderr).toBe(3)
  expect(countsOf(run)).toMatchObject({
    read: lines.length,
    rejected: fates.rejected,
    written: good,
    pending: 0,
  })
})

test('promise 1: an import that is interrupted accounts for what it read', async () => {
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const path = join(testFolder(), 'events.ndjson')
  const lines = Array.from({ length: 400 }, (_, n) =>
    JSON.stringify({
      event: 'e',
      timestamp: '2024-03-01T00:00:00Z',
      properties: { distinct_id: `u${n % 9}` },
    }),
  )
  writeFileSync(path, `${lines.join('\n')}\n`)
  const cli = startCli(['import', '--file', path, '--json'], importEnv(sandbox))
  // At the default cap these take seconds: the signal comes in the middle.
  const timer = setTimeout(() => cli.kill('SIGINT'), 1500)
  const ended = await cli.ended
  clearTimeout(timer)
  expect(ended.code, ended.stderr).toBe(130)
  expect(countsOf(ended).pending).toBeGreaterThan(0)
})
