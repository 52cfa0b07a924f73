import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'
import { lookThrough } from '../scripts/doors.js'

const SRC = join(import.meta.dirname, '../src')

/** Every source file with what it imports: paths below src for our own, package names for the rest. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
  .map((file) => {
    const text = readFileSync(join(SRC, file), 'utf8')
    const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(([, name]) =>
      name!.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name!)) : name!,
    )
    return { file, text, imports }
  })

/** The rooms from the ground floor up: a room uses those before it, and files of src itself that stand here before it. */
const ROOMS = [
  'errors.ts',
  'version.ts',
  'optional-package.ts',
  'duckdb.ts',
  'text',
  'record',
  'mapping',
  'presets',
  'http',
  'store',
  'state',
  'inputs',
  'options',
  'service',
  'sources',
  'pipeline',
  'transform',
  'delivery',
  'checks',
  'sandbox',
  'studio',
  'telemetry',
  'drain.ts',
  'io.ts',
  'jobs',
  'html',
  'library',
  'cli',
  'cli.ts',
  'main.ts',
  'testing.ts',
  'fixtures.ts',
  'index.ts',
]
/** Rooms that use less than what stands before them. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  // It has its own opinion of the service's rules, so that a test of one against the other says something.
  sandbox: ['errors.ts', 'version.ts', 'duckdb.ts', 'text'],
  http: ['errors.ts', 'version.ts', 'text'],
  mapping: ['errors.ts', 'text', 'record'],
}

/** What leads into jobs/ from outside: neither is a job. */
const JOBS_DOORS = ['jobs/index.ts', 'jobs/late.ts']

/** The most doors that a room has: files that others open. */
const MOST_DOORS = 8

/** The rooms of the files that put a program or a library together. */
const FRONT: Readonly<Record<string, string>> = {
  'main.ts': 'cli',
  'cli.ts': 'cli',
  'index.ts': 'library',
  'testing.ts': 'library',
  'fixtures.ts': 'library',
}
const roomOf = (file: string): string => file.split('/')[0]!
/** Whose doors a file may be: those of a room; and of a job, which other jobs open. */
const houseOf = (file: string): string => FRONT[file] ?? roomOf(file)
const jobOf = (file: string): string => /^jobs\/[^/]+(?=\/)/.exec(file)?.[0] ?? houseOf(file)
const HOUSES = [...new Set(files.flatMap(({ file }) => [houseOf(file), jobOf(file)]))].filter(
  (house) => !house.endsWith('.ts'),
)

/** Places that compute and nothing else. */
const PURE = [
  'record/',
  'mapping/',
  'delivery/verdict',
  'delivery/pacer.ts',
  'http/retry.ts',
  'jobs/run/stage-decision.ts',
  'jobs/run/stages.ts',
  'jobs/run/windows.ts',
]
/** What they may take of the platform: functions of their arguments alone. */
const PURE_IMPORT = /^import \{ (?:hash|createHmac) \} from 'node:crypto'$/gm
const IMPURE = /'node:[^']+'|\b(process\.|console\.|Date\.now|new Date\(\)|Math\.random|setTimeout|fetch\()/g

const OUTSIDE_THE_CORE = /^(cli|library|sandbox|html)\//

/** File names that several core folders use, and the one idea of each. */
const ONE_IDEA: Readonly<Record<string, string>> = {
  'index.ts': 'what a folder opens to others: the names of a room, the presets, the rows of options',
  'amplitude.ts': 'what posthaul knows of that vendor: how it exports, how its records map',
  'matomo.ts': 'the same',
  'mixpanel.ts': 'the same',
  'posthog.ts': 'the same',
  'groups.ts': "a source's or the service's groups",
  'events.ts': 'how a vendor hands out its events, and the preset for rows that are events already',
  'report.ts': "what a vendor's own reports count, which an export is held against",
  'query.ts': 'the query endpoint: asked by our own client of the service, and as a source',
  'errors.ts': 'typed errors: of the program, of the service',
  'run.ts': 'what a job does',
  'result.ts': 'what a job answers',
}

const namesIn = (list: string): string[] =>
  list
    .split(',')
    .map((name) =>
      name
        .trim()
        .replace(/^type /, '')
        .replace(/ as .*/, ''),
    )
    .filter(Boolean)

/** A package, and the files that can't be loaded without it. */
function loadingWith(name: string): Set<string> {
  const loadedWith = new Map(
    files.map(({ file, text }) => [
      file,
      [
        ...lookThrough(text, join(SRC, file)).matchAll(
          /(?:^|; )(?:import|export)\s(?!type\b)[^']*?from '([^']+)'/gm,
        ),
      ].map(([, name]) => (name!.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name!)) : name!)),
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
  test.each(ROOMS)('%s uses only what stands below it', (room) => {
    const below = ONLY[room] ?? ROOMS.slice(0, ROOMS.indexOf(room))
    const strangers = files
      .filter(({ file }) => roomOf(file) === room)
      .flatMap(({ file, imports }) =>
        imports
          .filter((name) => /\.tsx?$/.test(name) && roomOf(name) !== room && !below.includes(roomOf(name)))
          .map((name) => `${file} -> ${name}`),
      )
    expect(strangers).toEqual([])
  })

  test('every file is in a room', () => {
    expect(files.map(({ file }) => file).filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([])
  })

  test.each(HOUSES)('%s has few doors: those in test/doors/', async (house) => {
    const of = house.startsWith('jobs/') ? jobOf : houseOf
    const opened = files
      .filter(({ file }) => of(file) !== house && !JOBS_DOORS.includes(file))
      .flatMap(({ imports }) => imports.filter((name) => /\.tsx?$/.test(name) && of(name) === house))
    const doors = [...new Set(opened)].sort()
    expect(doors.length).toBeLessThanOrEqual(MOST_DOORS)
    await expect(doors.map((door) => `${door}\n`).join('')).toMatchFileSnapshot(
      `doors/${house.replace('/', '-')}.txt`,
    )
  })

  test('a room opens no name that nobody asks for', () => {
    const indexes = files.filter(
      ({ file }) => file === `${houseOf(file)}/index.ts` && file !== 'presets/index.ts',
    )
    const unasked = indexes.flatMap(({ file, text }) => {
      const asked = new Set(
        files
          .flatMap((user) =>
            [...user.text.matchAll(/^import (?:type )?\{([^}]*)\} from '([^']*index\.ts)'/gm)].filter(
              ([, , path]) => join(dirname(user.file), path!) === file,
            ),
          )
          .flatMap(([, names]) => namesIn(names!)),
      )
      return [...text.matchAll(/^export (?:(?:type )?\{([^}]*)\}|\* as (\w+)) from/gm)]
        .flatMap(([, names, space]) => (space ? [space] : namesIn(names!)))
        .filter((name) => !asked.has(name))
        .map((name) => `${file}: ${name}`)
    })
    expect(indexes.length).toBeGreaterThan(12)
    expect(unasked).toEqual([])
  })

  test.each(PURE)('%s touches no process, console, clock, file or network', (place) => {
    const touching = files
      .filter(({ file }) => file.startsWith(place))
      .flatMap(({ file, text }) =>
        [...text.replace(PURE_IMPORT, '').matchAll(IMPURE)].map(([word]) => `${file}: ${word}`),
      )
    expect(touching).toEqual([])
  })

  test('only the command line writes to the terminal, and only main exits', () => {
    const writing = files
      .filter(({ file }) => !/^cli\/|^(main|cli)\.ts$/.test(file))
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
    // Folders of one room may each have the same file: a row of every vendor.
    const shared = [...places].filter(
      ([name, uses]) => new Set(uses.map(roomOf)).size > 1 && !(name in ONE_IDEA),
    )
    expect(Object.fromEntries(shared)).toEqual({})
    // A name that is no longer shared needs no explanation.
    expect(Object.keys(ONE_IDEA).filter((name) => (places.get(name)?.length ?? 0) < 2)).toEqual([])
  })

  // The sandbox has its own opinion of the service, in its own words. Each command is a module of the same form.
  test('no exported name is declared for two ideas', () => {
    const declared = new Map<string, string[]>()
    for (const { file, text } of files.filter(({ file }) => roomOf(file) !== 'sandbox'))
      for (const [, name] of text.matchAll(
        /^export (?:abstract |async )*(?:function|const|class|interface|type|enum) (\w+)/gm,
      ))
        if (name !== 'configure') declared.set(name!, [...new Set([...(declared.get(name!) ?? []), file])])
    expect(Object.fromEntries([...declared].filter(([, places]) => places.length > 1))).toEqual({})
  })

  test('a command has at most 60 lines besides its help: what it does is a job', () => {
    const long = files
      .filter(
        ({ file, text }) => file.startsWith('cli/') && /^export (?:const|function) configure/m.test(text),
      )
      .map(({ file, text }) => {
        const lines = text
          .replace(/^const \w*HELP = `[\s\S]*?`$/m, '')
          .trim()
          .split('\n')
        return [file, lines.length] as const
      })
      .filter(([, lines]) => lines > 60)
    expect(Object.fromEntries(long)).toEqual({})
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
