import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { type Ended, startCli } from '../../helpers/cli-process.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { testFolder } from '../../helpers/folder.ts'
import { patience } from '../../helpers/patience.ts'
import { peakMib, TELLS_PEAK } from '../../helpers/peak-memory.ts'
import { Service } from './service.ts'

/** How a hostile input has to end: its rejects counted by reason, or refused as a whole (exit 2) in these words. */
type Outcome =
  | { readonly rejects: Readonly<Record<string, number>>; readonly records?: number }
  | { readonly refused: RegExp }

export interface Hostile {
  readonly name: string
  /** Writes it into a folder that has sound files already. `records` of the outcome are the sound ones in it. */
  readonly make: (folder: string) => void
  readonly outcome: Outcome
  /** Where `import --file` and `check --file` end otherwise than a transform. */
  readonly imported?: Outcome
  /** The file that `import --file` and `check --file` are tried with as well. */
  readonly file?: string
  readonly preset?: string
  /** A mapping file, as JSON. */
  readonly map?: unknown
  /** Without the sound files beside it: their members are other ones. */
  readonly alone?: boolean
  /** The most memory that a command may have, in MiB. */
  readonly peak?: number
  /** Too small to be worth measuring: it takes no process of its own. */
  readonly small?: boolean
}

const LF = 0x0a
const PEAK_MIB = 300
const SECONDS = 60
const SOUND_FILES: Readonly<Record<string, readonly number[]>> = {
  'a-sound.ndjson': [9001, 9002, 9003],
  'z-sound.ndjson': [9004, 9005],
}

function neighboursOf({ alone }: Hostile): Readonly<Record<string, readonly number[]>> {
  return alone ? {} : SOUND_FILES
}

/** A sound event of the service's form, as a line. */
export function sound(n: number): string {
  return `{"uuid":"${uuidOf(n)}","event":"Seen","distinct_id":"u${n}","timestamp":"2024-03-01T00:00:00Z","properties":{"n":${n}}}`
}

function uuidOf(n: number): string {
  return `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
}

/** Lines with their line ends. */
export function lines(...all: ReadonlyArray<string | Buffer>): Buffer {
  return Buffer.concat(all.flatMap((line) => [Buffer.from(line as string), Buffer.from('\n')]))
}

/** Transforms the folder that a hostile input is in, and imports and checks the file itself. */
export async function expectHeld(hostile: Hostile): Promise<void> {
  const folder = testFolder()
  const place = join(folder, 'in')
  for (const name of ['in', 'tmp', 'state']) mkdirSync(join(folder, name))
  for (const [name, ns] of Object.entries(neighboursOf(hostile))) {
    writeFileSync(join(place, name), lines(...ns.map((n) => sound(n))))
  }
  hostile.make(place)
  if (hostile.map !== undefined) writeFileSync(join(folder, 'map.json'), JSON.stringify(hostile.map))
  const before = namesIn(folder)
  await expectTransformed(hostile, folder)
  expect(namesIn(folder), 'nothing is written beside the output').toEqual(before)
  if (hostile.file === undefined) return
  await expectImported(hostile, folder, join(place, hostile.file))
}

async function expectTransformed(hostile: Hostile, folder: string): Promise<void> {
  const { outcome, preset = 'posthog', map } = hostile
  const out = join(folder, 'out')
  const argv = ['transform', '--preset', preset, '--in', join(folder, 'in'), '--out', out]
  const ended = await run(hostile, folder, [
    ...argv,
    ...(map === undefined ? [] : ['--map', join(folder, 'map.json')]),
    '--max-reject-ratio',
    '1',
    '--json',
  ])
  if ('refused' in outcome) {
    expectRefused(ended, outcome.refused)
    expect(existsSync(join(out, 'manifest.json'))).toBe(false)
    return
  }
  const { rejects, records = 0 } = outcome
  const rejected = sum(rejects)
  expect(ended.code, ended.stderr).toBe(rejected > 0 ? 3 : 0)
  const said = JSON.parse(ended.stdout)
  const neighbours = Object.values(neighboursOf(hostile)).flat()
  expect(said.rejects).toEqual(rejects)
  expect(said.counts.read).toBe(neighbours.length + records + rejected)
  expect(said.counts.written + said.counts.duplicate).toBe(neighbours.length + records)
  const written = new Set(eventsIn(out).map(({ uuid }) => uuid))
  for (const n of neighbours) expect(written.has(uuidOf(n))).toBe(true)
  expect(written.size).toBe(said.counts.written)
  expect(linesIn(join(out, 'rejects.ndjson')), 'each reject is a line').toBe(rejected)
}

async function expectImported(hostile: Hostile, folder: string, path: string): Promise<void> {
  const { imported: outcome = hostile.outcome } = hostile
  const service = await Service.start()
  const env = { POSTHOG_PROJECT_API_KEY: 'phc_hostile', POSTHOG_INGEST_HOST: service.url }
  const cap = ['--approved', '--max-events-per-minute', '100000000']
  const checked = await run(hostile, folder, ['check', '--file', path, '--json'])
  const ended = await run(hostile, folder, ['import', '--file', path, ...cap, '--json'], env)
  if ('refused' in outcome) {
    expectRefused(checked, outcome.refused)
    expectRefused(ended, outcome.refused)
    expect(service.requests).toEqual([])
    return
  }
  const { rejects, records = 0 } = outcome
  expect(checked.code, checked.stderr).toBe(0)
  expect(JSON.parse(checked.stdout).events).toBe(records)
  expect(ended.code, ended.stderr).toBe(sum(rejects) > 0 ? 3 : 0)
  const said = JSON.parse(ended.stdout)
  expect(said.conserved).toBe(true)
  expect(said.rejects).toEqual(rejects)
  expect(service.requests.flatMap(({ events }) => events).length).toBe(records)
  expect(linesIn(`${path}.rejects.ndjson`), 'each reject is a line').toBe(sum(rejects))
}

/** Runs a command, which must end by itself within the memory that it may have. */
async function run(
  { peak = PEAK_MIB, small = false }: Hostile,
  folder: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const places = { TMPDIR: join(folder, 'tmp'), XDG_STATE_HOME: join(folder, 'state') }
  if (small) {
    const ended = await runHosted(argv, { ...places, ...env }, folder)
    expect([0, 2, 3], ended.stderr).toContain(ended.code)
    return ended
  }
  const cli = startCli(argv, { ...places, ...TELLS_PEAK, ...env }, folder)
  const limit = setTimeout(() => cli.kill('SIGKILL'), patience(SECONDS * 1000))
  const ended = await cli.ended.finally(() => clearTimeout(limit))
  expect(ended.signal, `${argv[0]} ends by itself: ${ended.stderr}`).toBe(null)
  expect([0, 2, 3], ended.stderr).toContain(ended.code)
  expect(peakMib(ended.stderr), `MiB of ${argv[0]}`).toBeLessThan(peak)
  return ended
}

function expectRefused({ code, stdout, stderr }: Ended, words: RegExp): void {
  // On one line: messages are folded for a terminal.
  expect(stderr.replace(/\s+/g, ' ')).toMatch(words)
  expect(code, stderr).toBe(2)
  expect(JSON.parse(stdout).error.code).toBeOneOf(['input', 'config'])
  expect(stderr, 'no control characters reach the terminal').not.toMatch(/[^\P{Cc}\n]/u)
}

/** All names below a folder but those of the output and the state. Links are names too, and are not followed. */
function namesIn(folder: string, prefix = ''): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .flatMap((entry) => {
      const name = `${prefix}${entry.name}`
      return entry.isDirectory() ? [name, ...namesIn(join(folder, entry.name), `${name}/`)] : [name]
    })
    .filter((name) => !/^(?:out|state)(?:\/|$)|^\.out/.test(name))
    .sort()
}

/** Files of rejects can be longer than a text can be. */
function linesIn(path: string): number {
  return existsSync(path)
    ? readFileSync(path).reduce((count, byte) => (byte === LF ? count + 1 : count), 0)
    : 0
}

function eventsIn(out: string): Array<{ readonly uuid: string }> {
  return readdirSync(out)
    .filter((name) => /^\d{4}-.*\.ndjson$/.test(name))
    .flatMap((name) => readFileSync(join(out, name), 'utf8').trim().split('\n'))
    .map((line) => JSON.parse(line))
}

function sum(counts: Readonly<Record<string, number>> | readonly number[]): number {
  return Object.values(counts).reduce((total, n) => total + n, 0)
}
