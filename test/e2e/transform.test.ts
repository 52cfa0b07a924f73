import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { importIdOf, rulesOf } from '../../src/mapping/preset.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { posthog } from '../../src/presets/posthog.ts'
import { fileCell } from '../../src/state/cell.ts'
import { acquireLease } from '../../src/state/lease.ts'
import { type Ended, runCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { unfolded } from '../helpers/unfolded.ts'

const TIME = '2024-03-01T12:34:56.789123Z'
const UUID = '65fdb562-3dcd-5dc3-bc74-78ee4b077e17'

let made = 0

/** An event in the service's own form, another one each time. */
function event(over: Record<string, unknown> = {}): string {
  const n = made++
  return JSON.stringify({ event: 'E', distinct_id: `u${n}`, timestamp: TIME, properties: { n }, ...over })
}

interface Run extends Ended {
  readonly out: string
  /** The summary that --json printed. */
  readonly summary: { counts: Record<string, number>; rejects: Record<string, number>; finished: boolean }
}

/** Transforms what is given, and holds the run to what every run owes: a sum that adds up, and no stack. */
async function transform(input: string | Buffer, ...args: string[]): Promise<Run> {
  const folder = testFolder()
  const path = join(folder, 'in.ndjson')
  writeFileSync(path, input)
  const allowed = args.includes('--max-reject-ratio') ? [] : ['--max-reject-ratio', '1']
  return transformAt(folder, '--preset', 'posthog', '--in', path, ...allowed, ...args)
}

async function transformAt(folder: string, ...args: string[]): Promise<Run> {
  const out = join(folder, 'out')
  const run = await runHosted(['transform', '--out', out, '--json', ...args])
  const summary = run.stdout === '' ? undefined : JSON.parse(run.stdout)
  expectClear(run)
  // A run that failed before it read anything has an error alone.
  if (summary?.counts) {
    const { read, written, rejected, filtered, duplicate, pending } = summary.counts
    expect(read, run.stderr).toBe(written + rejected + filtered + duplicate + pending)
  }
  return { ...run, out, summary }
}

function expectClear({ code, signal, stderr }: Ended): void {
  expect([code === 1, signal], stderr).toEqual([false, null])
  expect(stderr).not.toMatch(/\n\s+at |this is a bug:|node:internal/)
}

/** A failed run: its exit code, its words, and no dataset. */
function expectFailure(run: Ended & { out?: string }, code: number, ...words: Array<string | RegExp>): void {
  expect(run.code, run.stderr).toBe(code)
  expectClear(run)
  for (const word of words) expect(unfolded(run.stderr)).toMatch(word)
  expect(run.stderr).toMatch(/\n {2}(then|options|once .*): posthaul transform/)
  if (run.out !== undefined) expect(filesIn(run.out)).not.toContain('manifest.json')
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort()
  } catch {
    return []
  }
}

describe('inputs that cannot be read at all end in a clear error', () => {
  test.each<[string, string, Buffer | string | undefined, string | RegExp]>([
    ['a missing file', 'nowhere.ndjson', undefined, 'nowhere.ndjson is not there'],
    ['a file that is no data', 'in.ndjson', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2, 3]), 'in.ndjson'],
    [
      'a packed file that was cut',
      'in.ndjson.gz',
      gzipSync(Array.from({ length: 3000 }, () => event()).join('\n')).subarray(0, -200),
      'in.ndjson.gz',
    ],
    ['an array that was cut', 'in.json', `[${event()},${event()}`, /cut/],
  ])('%s', async (_, name, bytes, words) => {
    const folder = testFolder()
    const path = join(folder, name)
    if (bytes !== undefined) writeFileSync(path, bytes)
    expectFailure(await transformAt(folder, '--preset', 'posthog', '--in', path), 2, words)
  })

  test('a folder without permission, of the records or for the events', async () => {
    const folder = testFolder()
    const [locked, path] = [join(folder, 'locked'), join(folder, 'in.ndjson')]
    mkdirSync(locked)
    for (const file of [join(locked, 'in.ndjson'), path]) writeFileSync(file, event())
    chmodSync(locked, 0)
    chmodSync(folder, 0o555)
    onTestFinished(() => {
      for (const one of [folder, locked]) chmodSync(one, 0o700)
    })
    const argv = ['transform', '--preset', 'posthog', '--in']
    expectFailure(await asNobody([...argv, locked, '--dry-run']), 2, locked, /permission/i)
    expectFailure(await asNobody([...argv, path, '--out', join(folder, 'out')]), 2, folder, /permission/i)
  })
})

// In this process: they end before any work begins, and there are many.
test.each<[string, readonly string[], string | undefined, Array<string | RegExp>]>([
  [
    'an unknown preset',
    ['--preset', 'posthogg'],
    undefined,
    ['--preset is "posthogg": expected mixpanel,', 'did you mean posthog?'],
  ],
  ['no preset', [], undefined, ['no preset']],
  [
    'a mapping file with a typing error',
    [],
    'preset: posthog\nproperties:\n  renam:\n    a: b\n',
    ['map.yaml:3:3', 'renam', 'did you mean "rename"'],
  ],
  ['a mapping file that is no YAML', [], 'preset: posthog\nevents: {rename: [', [/map\.yaml:\d+:\d+/]],
  ['a mapping file that is not there', ['--preset', 'posthog', '--map', 'no.yaml'], undefined, ['no.yaml']],
  ...['Mars/X', '+01:00', ''].map((zone): [string, string[], undefined, string[]] => [
    `a time zone that is none: "${zone}"`,
    ['--preset', 'posthog', '--source-timezone', zone],
    undefined,
    ['--source-timezone', 'name of a time zone', 'Europe/Vienna'],
  ]),
  [
    'a share of rejects that is none',
    ['--preset', 'posthog', '--max-reject-ratio', '10'],
    undefined,
    ['--max-reject-ratio'],
  ],
])('%s ends in a clear error', async (_, args, yaml, words) => {
  const folder = testFolder()
  const [path, out, map] = ['in.ndjson', 'out', 'map.yaml'].map((name) => join(folder, name))
  writeFileSync(path!, event())
  if (yaml !== undefined) writeFileSync(map!, yaml)
  const mapping = yaml === undefined ? [] : ['--map', map!]
  const run = await runCommand(['transform', '--in', path!, '--out', out!, ...mapping, ...args])
  expectFailure({ ...run, signal: null, out: out! }, 2, ...words)
  expect([run.stdout, filesIn(out!)]).toEqual(['', []])
})

describe('the folder for the events', () => {
  test('is left alone when it holds something else', async () => {
    const folder = testFolder()
    const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
    writeFileSync(path, event())
    mkdirSync(out)
    writeFileSync(join(out, 'letters.txt'), 'dear')
    expectFailure(await transformAt(folder, '--preset', 'posthog', '--in', path), 2, 'is not empty')
    expect(filesIn(out)).toEqual(['letters.txt'])
  })

  test('is left alone when it holds the events of another source, and made anew for the same', async () => {
    const folder = testFolder()
    mkdirSync(join(folder, 'raw'))
    const [path, raw, out] = [join(folder, 'other.ndjson'), join(folder, 'raw'), join(folder, 'out')]
    for (const file of [path, join(raw, 'in.ndjson')]) writeFileSync(file, event())
    await exits(0, transformAt(folder, '--preset', 'posthog', '--in', raw))
    const before = filesIn(out)
    for (const [preset, from] of [
      ['posthog', path],
      ['segment', raw],
    ] as const) {
      await exits(
        2,
        transformAt(folder, '--preset', preset, '--in', from, '--max-reject-ratio', '1'),
        'it would be replaced',
      )
    }
    expect(filesIn(out)).toEqual(before)
    await exits(0, transformAt(folder, '--preset', 'posthog', '--in', `${raw}/`))
  })

  test('must not hold the inputs', async () => {
    const folder = testFolder()
    const out = join(folder, 'out')
    mkdirSync(join(out, 'raw'), { recursive: true })
    writeFileSync(join(out, 'raw', 'in.ndjson'), event())
    expectFailure(
      await transformAt(folder, '--preset', 'posthog', '--in', join(out, 'raw')),
      2,
      'lies in the folder',
    )
    expect(filesIn(out)).toEqual(['raw'])
  })

  test('is made anew over events of an earlier transform, and holds nothing of them', async () => {
    const folder = testFolder()
    const path = join(folder, 'in.ndjson')
    const args = ['--preset', 'posthog', '--in', path, '--max-reject-ratio', '1']
    writeFileSync(path, `${event({ timestamp: '2023-01-01T00:00:00Z' })}\n${event()}\n{bad`)
    await exits(3, transformAt(folder, ...args))
    writeFileSync(path, `${event()}\n`)
    const again = await exits(0, transformAt(folder, ...args))
    expect(readSoundDataset(again.out).lines).toHaveLength(1)
  })

  test('keeps an earlier dataset whole when the new one is refused at its first records', async () => {
    const { out } = await transform(`${event()}\n`)
    const before = readSoundDataset(out)
    const words = ['--preset', 'amplitude', '--in', join(out, '..', 'in.ndjson'), '--out', out]
    await exits(2, runHosted(['transform', ...words]))
    expect(readSoundDataset(out)).toEqual(before)
  })

  test('that another run holds is not touched', async () => {
    const folder = testFolder()
    const [path, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
    writeFileSync(path, event())
    mkdirSync(out)
    const lock = await acquireLease({ cell: fileCell(join(out, '.posthaul-transform.lock')) })
    const run = await transformAt(folder, '--preset', 'posthog', '--in', path)
    expectFailure(run, 7, 'another run holds')
    await lock.release()
    await exits(0, transformAt(folder, '--preset', 'posthog', '--in', path))
    readSoundDataset(out)
  })
})

describe('rejects among the first records', () => {
  const lines = [...Array.from({ length: 8 }, () => event()), '{bad', event({ event: 5 })].join('\n')
  test('stop the run when they are too many', async () => {
    const run = await transform(lines, '--max-reject-ratio', '0.1')
    expectFailure(run, 2, '2 of the first 10 records', 'bad_json', 'event_not_text', '--max-reject-ratio')
    expect(filesIn(run.out)).toEqual([])
    expect(run.summary).toMatchObject({
      finished: false,
      counts: { read: 10, rejected: 2, pending: 8, written: 0 },
      error: { code: 'input', message: expect.stringContaining('2 of the first 10 records') },
    })
  })
  test('do not when they are allowed', async () => {
    const run = await exits(3, transform(lines, '--max-reject-ratio', '0.2'))
    readSoundDataset(run.out)
  })
})

test('a dry run writes nothing', async () => {
  const folder = testFolder()
  const path = join(folder, 'in.ndjson')
  writeFileSync(path, [...Array.from({ length: 15 }, () => event()), '{bad'].join('\n'))
  const before = filesIn(folder)
  const { atimeMs: _, ...stats } = statSync(folder)
  const args = ['transform', '--preset', 'posthog', '--in', path, '--dry-run']
  await exits(3, runHosted(args))
  const json = await runHosted([...args, '--json', '--out', join(folder, 'out')])
  expect(JSON.parse(json.stdout)).toMatchObject({
    dry_run: true,
    finished: false,
    counts: { read: 16, rejected: 1, pending: 15 },
  })
  expect(filesIn(folder)).toEqual(before)
  expect(statSync(folder).mtimeMs).toBe(stats.mtimeMs)
})

test('rejects that were mended run again, those that were not are rejects again, and no sign of a wrong preset', async () => {
  const first = await exits(
    3,
    transform([event(), event({ event: 5 }), '{bad', event({ timestamp: '' })].join('\n')),
  )
  const path = join(testFolder(), 'rejects.ndjson')
  const rejected = readFileSync(join(first.out, 'rejects.ndjson'), 'utf8')
  writeFileSync(path, rejected.replace('\\"event\\":5', '\\"event\\":\\"five\\"'))
  const again = await exits(3, transformAt(testFolder(), '--preset', 'posthog', '--in', path))
  const { lines, rejects } = readSoundDataset(again.out)
  expect(lines.map((line) => JSON.parse(line).event)).toEqual(['five'])
  expect(rejects.map(({ reason, record }) => [reason, record!.slice(0, 8)])).toEqual([
    ['bad_json', '{bad'],
    ['timestamp_missing', '{"event"'],
  ])
})

test('the same events come of a file, of its pieces, of an array of them and of a packed one', async () => {
  const records = Array.from({ length: 300 }, (_, n) =>
    event({
      uuid: n % 3 === 0 ? UUID.slice(0, 32) + String(1000 + n) : undefined,
      timestamp: `2024-03-0${1 + (n % 5)}T12:00:${String(n % 60).padStart(2, '0')}Z`,
    }),
  )
  const folder = testFolder()
  const write = (name: string, bytes: string | Buffer) => writeFileSync(join(folder, name), bytes)
  mkdirSync(join(folder, 'pieces'))
  write('plain.ndjson', `${records.join('\n')}\n`)
  write('crlf.ndjson', `\ufeff${records.join('\r\n\r\n')}`)
  write('array.json', `[\n  ${records.join(',\n  ')}\n]\n`)
  write('packed.ndjson.gz', gzipSync(records.join('\n')))
  for (let i = 0; i < 3; i++) write(`pieces/${i}.ndjson`, records.slice(i * 100, i * 100 + 100).join('\n'))
  const found = []
  for (const [input, ...more] of [
    ['plain.ndjson'],
    ['plain.ndjson', '--workers', '1', '--gzip'],
    ['crlf.ndjson'],
    ['array.json'],
    ['packed.ndjson.gz'],
    ['pieces', '--workers', '3'],
  ] as const) {
    const out = join(folder, `out ${found.length}`)
    const words = ['--preset', 'posthog', '--in', join(folder, input), '--out', out, ...more]
    await exits(0, runHosted(['transform', ...words]))
    found.push(readSoundDataset(out).lines)
  }
  expect(found[0]).toHaveLength(300)
  for (const lines of found) expect(lines).toEqual(found[0])
})

/** Runs the command line without the rights that a test run as root has. */
function asNobody(argv: readonly string[]): Promise<Ended> {
  const isRoot = process.getuid?.() === 0
  return runCli(argv, {}, undefined, isRoot ? 65_534 : undefined)
}

test('a signal while the sample is taken leaves an older dataset as it was', async () => {
  const folder = testFolder()
  const [input, out] = [join(folder, 'in.ndjson'), join(folder, 'out')]
  writeFileSync(input, `${event()}\n`)
  const argv = ['transform', '--preset', 'posthog', '--in', input, '--out', out]
  await exits(0, runHosted(argv))
  const files = () => readdirSync(out).map((name) => [name, readFileSync(join(out, name), 'utf8')])
  const before = files()

  writeFileSync(input, `${event()}\n${event()}\n`)
  const stopped = await runCommand(argv, { signal: AbortSignal.abort('SIGINT'), built: true })
  expect([stopped.code, files()], stopped.stderr).toEqual([130, before])
  await exits(0, runHosted(argv))
  expect(files()).not.toEqual(before)
})

describe('the importer’s id', () => {
  const ours = importIdOf(posthog)
  const idsOf = (out: string) =>
    readSoundDataset(out).lines.map((line) => JSON.parse(line).properties.$import_job_id)

  test('is in every event, also in those made of several records, and in the manifest', async () => {
    const folder = testFolder()
    const path = join(folder, 'in.ndjson')
    const properties = {
      time: 1_709_290_800,
      distinct_id: 'u',
      $user_id: 'u',
      $device_id: 'd',
      $insert_id: 'i',
    }
    writeFileSync(path, `${JSON.stringify({ event: 'A', properties })}\n`)
    const run = await transformAt(folder, '--preset', 'mixpanel', '--in', path)
    expect(idsOf(run.out)).toEqual([importIdOf(mixpanel), importIdOf(mixpanel)])
    expect(readSoundDataset(run.out).manifest.import_ids).toEqual([importIdOf(mixpanel)])
  })

  test('is another when it is named, none when it is not wanted, and the record’s own when it has one', async () => {
    const lines = `${event()}\n${event({ properties: { $import_job_id: 'theirs' } })}\n`
    const named = await transform(lines, '--import-id', 'spring')
    expect(idsOf(named.out).sort()).toEqual(['spring', 'theirs'])
    expect(readSoundDataset(named.out).manifest.import_ids).toEqual(['spring', 'theirs'])
    const none = await transform(lines, '--import-id', 'none')
    expect(idsOf(none.out).sort()).toEqual(['theirs', undefined])
    expect(readSoundDataset(none.out).manifest.import_ids).toBeNull()
    for (const id of ['a"b', 'a\\b'])
      expectFailure(await transform(lines, '--import-id', id), 2, '--import-id has a quote')
  })

  test('can’t tell events whose own id is no text', async () => {
    const { out } = await transform(`${event()}\n${event({ n: 1, properties: { $import_job_id: 5 } })}\n`)
    expect(idsOf(out)).toEqual(expect.arrayContaining([ours, 5]))
    expect(readSoundDataset(out).manifest.import_ids).toBeNull()
  })
})

test('a dataset that other rules made is not replaced without being asked', async () => {
  const folder = testFolder()
  const input = join(folder, 'in.ndjson')
  writeFileSync(input, `${event()}\n`)
  const run = (...args: string[]) => transformAt(folder, '--preset', 'posthog', '--in', input, ...args)
  const { out } = await run()
  const path = join(out, 'manifest.json')
  const made = JSON.parse(readFileSync(path, 'utf8'))
  expect(made.rules).toBe(rulesOf(posthog))
  const older = JSON.stringify({ ...made, rules: 'posthog 0.9' })
  writeFileSync(path, older)
  await exits(3, run(), `(posthog 0.9; now ${rulesOf(posthog)})`)
  expect(readFileSync(path, 'utf8')).toBe(older)
  await exits(0, run('--accept', 'rules_changed'))
  expect(readSoundDataset(out).manifest.rules).toBe(rulesOf(posthog))
})

test('times that the clocks of a zone had twice, or skipped, are said with the zone by transform, check and report', async () => {
  const folder = testFolder()
  const [path, out, page] = ['in.ndjson', 'out', 'report.html'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const at = (timestamp: string, n: number) => ({
    event: 'e',
    distinct_id: `u${n}`,
    timestamp,
    properties: { n },
  })
  const times = ['2024-10-27 02:30:00', '2024-10-27 02:59:59', '2024-03-31 02:30:00', '2024-10-27 12:00:00']
  writeFileSync(path, times.map((time, n) => `${JSON.stringify(at(time, n))}\n`).join(''))
  const words = ['--preset', 'events', '--source-timezone', 'Europe/Vienna', '--in', path, '--out', out]
  const made = await runHosted(['transform', ...words])
  const checked = await runHosted(['check', out])
  for (const { stderr, stdout } of [made, checked]) {
    const said = unfolded(stderr + stdout)
    expect(said).toContain(
      '2 times fall into an hour that the clocks of Europe/Vienna had twice: the first is taken',
    )
    expect(said).toContain('1 time falls into an hour that the clocks of Europe/Vienna skipped')
  }
  expect(await runHosted(['report', out, '--out', page])).toMatchObject({ code: 0 })
  expect(readFileSync(page, 'utf8')).toContain('clock_twice (Europe/Vienna)')
})

test('a rule that no record matches is said of all records, and one that the last record matches is not', async () => {
  const folder = testFolder()
  const [path, map, out] = ['in.ndjson', 'map.yaml', 'out'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  const line = (n: number, more: object) =>
    `${JSON.stringify({ event: 'view', distinct_id: `u${n}`, timestamp: '2024-03-01T10:00:00Z', properties: { n, ...more } })}\n`
  // Beyond the first records, and with its name in a text that is no name.
  const rows = Array.from({ length: 12_000 }, (_, n) => line(n, { note: 'the phone, as "phone", is lost' }))
  writeFileSync(path, [...rows, line(12_000, { late: 1, größe: 2 })].join(''))
  writeFileSync(
    map,
    `preset: events
properties: { drop: [late, größe, phone], hash: [e_mail] }
events: { drop: [hartbeat] }
filter: { from: 2020-01-01, to: 2024-12-31 }
`,
  )
  const env = { POSTHAUL_HASH_KEY: 'a-key-of-thirty-two-characters-or-more' }
  const transform = (...args: string[]) =>
    runHosted(['transform', '--map', map, '--in', path, '--out', out, '--json', ...args], env)
  const idle = ['events.drop "hartbeat"', 'properties.drop "phone"', 'properties.hash "e_mail"']
  const ends = ['filter.from "2020-01-01T00:00:00.000000Z"', 'filter.to "2024-12-31T00:00:00.000000Z"']
  for (const args of [['--dry-run'], ['--accept', 'hashes_nothing']]) {
    const { stdout } = await exits(0, transform(...args))
    expect(JSON.parse(stdout).idle_rules).toEqual([...idle, ...ends])
    expect(JSON.parse(stdout).idle_in_all).toBe(true)
  }
  // One window of many may lie between the ends.
  const window = await transform('--dry-run', '--import-id', 'w1')
  expect(JSON.parse(window.stdout).idle_rules).toEqual(idle)
})
