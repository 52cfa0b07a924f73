import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'

const seed = seedOf('bad places')
const ENV = {
  POSTHOG_HOST: 'http://127.0.0.1:9',
  POSTHOG_INGEST_HOST: 'http://127.0.0.1:9',
  POSTHOG_PROJECT_API_KEY: 'phc_test',
  POSTHOG_PERSONAL_API_KEY: 'phx_test',
  POSTHOG_PROJECT_ID: '1',
  POSTHOG_SOURCE_HOST: 'http://127.0.0.1:9',
  POSTHOG_SOURCE_PROJECT_ID: '1',
  POSTHOG_SOURCE_API_KEY: 'phx_test',
}

const PLACES = [
  ...`missing/deep file/below /dev/full /dev/full/below /proc/x /proc/x/y pipe dangling circle`.split(/\s+/),
  ...['circle/below', 'n'.repeat(300), 'd/'.repeat(3000)],
]

const RETRY = ['--retry-for', '1s']
const IMPORT = ['import', '--file', 'events.ndjson', '--accept', 'project_unasked', ...RETRY]
const TRANSFORM = ['transform', '--preset', 'posthog', '--in', 'events.ndjson']
/** Where a path can be given. The place follows as the last word, or is the value of a variable. */
const READ: readonly (readonly string[])[] = [
  ['import', '--accept', 'project_unasked', ...RETRY, '--file'],
  ['import', '--accept', 'project_unasked', ...RETRY, '--dataset'],
  [...IMPORT, '--config'],
  ['check'],
  ['check', '--file'],
  ['verify'],
  ['status', '--file'],
  ['status', '--file', 'events.ndjson', '--checkpoint'],
  ['transform', '--preset', 'posthog', '--out', 'out', '--in'],
  [...TRANSFORM, '--out', 'out', '--map'],
  ['groups', 'list', '--type', '0', '--config'],
]
const WRITTEN: readonly (readonly string[])[] = [
  [...IMPORT, '--checkpoint'],
  [...IMPORT, '--state'],
  [...TRANSFORM, '--out'],
  ['export', 'posthog', '--from', '2024-01-01', '--to', '2024-01-02', ...RETRY, '--out'],
  ['sandbox', '--port', '0', '--data'],
  ['demo', '--events', '100', '--dir'],
]
/** Where a missing folder or a dangling link is no fault: what is written there makes it. */
const MADE = new Set(['missing/deep', 'dangling', 'd/'.repeat(3000)])

function folderOfPlaces(): string {
  const folder = testFolder()
  writeFileSync(join(folder, 'events.ndjson'), `${eventLine(makeEvent(1))}\n`)
  writeFileSync(join(folder, 'file'), 'hello\n')
  mkdirSync(join(folder, 'folder'))
  symlinkSync('nowhere', join(folder, 'dangling'))
  symlinkSync('circle', join(folder, 'circle'))
  execFileSync('mkfifo', [join(folder, 'pipe')])
  return folder
}

const CASES = [
  ...READ.flatMap((argv) => PLACES.map((place) => [argv, place] as const)),
  ...WRITTEN.flatMap((argv) =>
    PLACES.filter((place) => !MADE.has(place)).map((place) => [argv, place] as const),
  ),
]

test('a place that can not be read or written is exit 2, with what to do', async () => {
  const folder = folderOfPlaces()
  for (const [argv, place] of shuffled(CASES, seeded(seed)).slice(0, kills({ few: 5, many: 12 }))) {
    const told = `${argv.join(' ')} ${place.slice(0, 40)}`
    const { code, stderr } = await runHosted([...argv, place], ENV, folder)
    expect(code, `${told}\n${stderr}`).toBe(2)
    expect(stderr, told).not.toMatch(/this is a bug|\n {4}at /)
  }
})

test.each([
  [
    'aliases that multiply',
    `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]\n`).join('')}`,
  ],
  ['a list in a list without end', `properties: ${'['.repeat(50_000)}`],
  ['100 MB', `# ${'x'.repeat(100_000_000)}`],
  ['a value that holds itself', 'properties: &p\n  set: *p\n'],
])('a mapping file with %s is exit 2', async (_, text) => {
  const folder = folderOfPlaces()
  writeFileSync(join(folder, 'map.yaml'), text)
  const { stderr } = await exits(
    2,
    runHosted([...TRANSFORM, '--out', 'out', '--map', 'map.yaml'], ENV, folder),
  )
  expect(stderr).toContain('map.yaml')
})

test.each([
  ['', [], 3],
  [' by a thread, too', ['--workers', '1'], 4],
])('where few files can be open%s, that is said', (_, more, points) => {
  const bin = join(import.meta.dirname, '../../bin/posthaul.js')
  const ran = new Map<number, { readonly status: number | null; readonly stderr: string }>()
  const run = (most: number) => {
    const before = ran.get(most)
    if (before) return before
    const limited = `ulimit -n ${most}; exec "$0" "$@"`
    const argv = ['-c', limited, process.execPath, bin, ...TRANSFORM, ...more, '--out', `out-${most}`]
    const { status, stderr } = spawnSync('sh', argv, {
      cwd: folderOfPlaces(),
      env: { ...process.env, ...ENV },
    })
    // Where a line breaks depends on how long the path of this checkout is.
    const ended = { status, stderr: stderr.toString().replace(/\s+/g, ' ') }
    ran.set(most, ended)
    return ended
  }
  // The most with which it fails, by halves.
  let [most, enough] = [8, 32]
  while (enough - most > 1) {
    const middle = (most + enough) >> 1
    if (run(middle).status === 0) enough = middle
    else most = middle
  }
  // The input, a thread, its modules, the program's own: each is what can't be opened once.
  for (let fewer = 0; fewer < points; fewer++) {
    const { status, stderr } = run(most - fewer)
    expect([2, 5], `${most - fewer} files: ${stderr}`).toContain(status)
    expect(stderr).toMatch(/too many files are open|may open too few files/)
  }
})
