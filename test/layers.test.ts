import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

const SRC = join(import.meta.dirname, '../src')

/** Every source file with what it imports: paths below src for our own, package names for the rest. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) =>
      name!.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name!)) : name!,
    )
    return { file, text, imports }
  })

const TOP = ['duckdb.ts', 'errors.ts', 'version.ts', 'text/nearest.ts', 'text/shell-word.ts', 'text/units.ts']

/** Folder -> the folders and top-level files it may import from, besides itself. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  record: ['text/units.ts'],
  mapping: [...TOP, 'record'],
  store: [...TOP, 'record', 'http'],
  inputs: [...TOP, 'record', 'mapping', 'store'],
  transform: [...TOP, 'record', 'mapping', 'store', 'inputs'],
  fleet: [...TOP, 'record', 'mapping', 'store', 'inputs', 'transform'],
  // Of report/ only words: text of numbers, and what is said of the storage, which check says too.
  studio: [
    ...TOP,
    'record',
    'mapping',
    'store',
    'inputs',
    'http',
    'transform',
    'delivery/caps.ts',
    'audit',
    'checks/words/of-storage.ts',
    'checks/words/wording.ts',
    'text/words.ts',
  ],
  http: [...TOP],
  // Of fleet/ only the stages and how many tasks they may have.
  options: [...TOP, 'record', 'store', 'http', 'transform/fleet/stage.ts'],
  service: [...TOP, 'record', 'options', 'http'],
  delivery: [...TOP, 'record', 'store', 'http'],
  sources: [...TOP, 'record', 'store', 'inputs', 'options', 'http', 'service'],
  audit: [...TOP, 'record', 'store', 'transform', 'delivery'],
  persons: [...TOP, 'record', 'store', 'http', 'service', 'delivery', 'audit'],
  preflight: [
    ...TOP,
    'record',
    'store',
    'inputs',
    'http',
    'options',
    'service',
    'sources',
    'delivery',
    'text/words.ts',
  ],
  migration: [...TOP, 'record', 'mapping', 'store', 'http', 'options', 'sources', 'delivery'],
  // Of report/ only what turns a text into lines that a terminal can show, and their colours.
  telemetry: [
    ...TOP,
    'record',
    'store',
    'http',
    'text/fold.ts',
    'text/paint.ts',
    'text/visible.ts',
    'text/words.ts',
  ],
  sandbox: TOP,
}

/** Places that compute and nothing else. */
const PURE = [
  'record/',
  'mapping/',
  'delivery/verdict',
  'delivery/reply-words.ts',
  'delivery/pacer.ts',
  'http/retry-after.ts',
  'jobs/run/stage-decision.ts',
  'jobs/run/stages.ts',
  'jobs/run/windows.ts',
]
/** What they may take of the platform: functions of their arguments alone. */
const PURE_IMPORT = /^import \{ (?:hash|createHmac) \} from 'node:crypto'$/gm
const IMPURE = /'node:[^']+'|\b(process\.|console\.|Date\.now|new Date\(\)|Math\.random|setTimeout|fetch\()/g

const OUTSIDE_THE_CORE = /^(commands|library|report|sandbox|demo|web)\//

/** File names that several core folders use, and the one idea of each. */
const ONE_IDEA: Readonly<Record<string, string>> = {
  'index.ts': 'the list of all that its folder registers',
  'amplitude.ts': 'what posthaul knows of that vendor: how it exports, how its records map',
  'matomo.ts': 'the same',
  'mixpanel.ts': 'the same',
  'posthog.ts': 'the same',
  'groups.ts': "a source's or the service's groups",
  'events.ts': 'how a vendor hands out its events, and the preset for rows that are events already',
  'report.ts': "what a vendor's own reports count, which an export is held against",
  'query.ts': 'the query endpoint: asked by our own client of the service, and as a source',
  'batch.ts': 'one POST of events: its contents, and the request',
  'windows.ts': 'spans of time that are gone through one after the other: by verify, by run',
  'errors.ts': 'typed errors: of the program, of the service',
}

/** True for the file of a command, which prints; false for what commands share. */
function isCommand(name: string): boolean {
  return files.some(({ file, text }) => file === name && text.includes('export const configure'))
}

/** A package, and the files that can't be loaded without it. */
function loadingWith(name: string): Set<string> {
  const loadedWith = new Map(
    files.map(({ file, text }) => [
      file,
      [...text.matchAll(/^(?:import|export)\s(?!type\b)[^']*?from '([^']+)'/gm)].map(([, name]) =>
        name!.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name!)) : name!,
      ),
    ]),
  )
  const needing = new Set([name])
  for (let before = 0; before < needing.size; ) {
    before = needing.size
    for (const [file, names] of loadedWith) if (names.some((name) => needing.has(name))) needing.add(file)
  }
  return needing
}

describe('the layers', () => {
  test.each(Object.entries(MAY_USE))('%s imports only what lies below it', (folder, allowed) => {
    const strangers = files
      .filter(({ file }) => file.startsWith(`${folder}/`))
      .flatMap(({ file, imports }) =>
        imports
          .filter((name) => name.endsWith('.ts') && !name.startsWith(`${folder}/`))
          .filter((name) => !allowed.some((may) => name === may || name.startsWith(`${may}/`)))
          .map((name) => `${file} -> ${name}`),
      )
    expect(strangers).toEqual([])
  })

  test('nothing but main imports cli, and nothing but cli and commands imports commands', () => {
    const wrong = files.flatMap(({ file, imports }) =>
      imports
        .filter((name) => (name === 'cli.ts' && file !== 'main.ts') || name.startsWith('commands/'))
        .filter((name) => name === 'cli.ts' || (file !== 'cli.ts' && !file.startsWith('commands/')))
        .filter((name) => !file.startsWith('library/') || isCommand(name))
        .map((name) => `${file} -> ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test('nothing but the doors imports the library, which runs what commands run and no command', () => {
    const doors = ['index.ts', 'testing.ts']
    const wrong = files
      .filter(({ file }) => !doors.includes(file) && !file.startsWith('library/'))
      .flatMap(({ file, imports }) =>
        imports
          .filter((name) => name.startsWith('library/') || doors.includes(name))
          .map((name) => `${file} -> ${name}`),
      )
    expect(wrong).toEqual([])
  })

  test.each(PURE)('%s touches no process, console, clock, file or network', (place) => {
    const touching = files
      .filter(({ file }) => file.startsWith(place))
      .flatMap(({ file, text }) =>
        [...text.replace(PURE_IMPORT, '').matchAll(IMPURE)].map(([word]) => `${file}: ${word}`),
      )
    expect(touching).toEqual([])
  })

  test('only report/, commands/ and main write to the terminal, and only main exits', () => {
    const writing = files
      .filter(({ file }) => !/^(report|commands)\/|^(main|cli)\.ts$/.test(file))
      .flatMap(({ file, text }) =>
        [...text.matchAll(/console\.|process\.(stdout|stderr|exit)\b/g)].map(([word]) => `${file}: ${word}`),
      )
    expect(writing).toEqual([])
  })

  test('no core folder uses a file name for another idea than its neighbour', () => {
    const places = new Map<string, string[]>()
    for (const { file } of files.filter(({ file }) => !OUTSIDE_THE_CORE.test(file))) {
      places.set(basename(file), [...(places.get(basename(file)) ?? []), file])
    }
    const shared = [...places].filter(([name, uses]) => uses.length > 1 && !(name in ONE_IDEA))
    expect(Object.fromEntries(shared)).toEqual({})
    // A name that is no longer shared needs no explanation.
    expect(Object.keys(ONE_IDEA).filter((name) => (places.get(name)?.length ?? 0) < 2)).toEqual([])
  })

  test('DuckDB, which need not be installed, is loaded only behind the door of the sandbox', () => {
    const needing = loadingWith('@duckdb/node-api')
    const inside = [...needing].filter((file) => file.startsWith('sandbox/'))
    expect(inside).toContain('sandbox/start.ts')
    expect(inside).not.toContain('sandbox/sandbox.ts')
    expect([...needing].filter((file) => !file.startsWith('sandbox/'))).toEqual(['@duckdb/node-api'])
  })

  test('a worker of a transform loads no zod, which would take a third of its start', () => {
    const needing = loadingWith('zod')
    expect(needing).toContain('transform/prepare.ts')
    expect(needing).not.toContain('transform/worker.ts')
  })

  test('no file imports itself, by whatever way round', () => {
    const imports = new Map(files.map((one) => [one.file, one.imports]))
    const done = new Set<string>()
    const cycles: string[] = []
    const walk = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      else if (!done.has(file)) {
        for (const next of imports.get(file) ?? []) walk(next, [...path, file])
        done.add(file)
      }
    }
    for (const { file } of files) walk(file, [])
    expect(cycles).toEqual([])
  })
})
