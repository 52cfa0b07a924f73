import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { describe, expect, test } from 'vitest'

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
const ROOMS =
  `errors.ts version.ts duckdb.ts text record mapping presets http store state inputs options service
  sources pipeline transform delivery checks guards result-parts.ts sandbox studio telemetry drain.ts io.ts host.ts
  records mapping-tests imports migration commands html library cli cli.ts main.ts
  testing.ts fixtures.ts index.ts`.split(/\s+/)
/** Rooms that use less than what stands before them. */
const ONLY: Readonly<Record<string, readonly string[]>> = {
  // It has its own opinion of the service's rules, so that a test of one against the other says something.
  sandbox: ['errors.ts', 'version.ts', 'duckdb.ts', 'text'],
  http: ['errors.ts', 'version.ts', 'text'],
  mapping: ['errors.ts', 'text', 'record'],
}

const roomOf = (file: string): string => file.split('/')[0]!
/** Places that compute and nothing else. */
const PURE = `record/ mapping/ delivery/verdict delivery/pacer.ts http/retry.ts guards/
  commands/run/stage-decision.ts migration/stages.ts migration/windows.ts`.split(/\s+/)
/** What they may take of the platform: functions of their arguments alone. */
const PURE_IMPORT = /^import \{ (?:hash|createHmac) \} from 'node:crypto'$/gm
const IMPURE = /'node:[^']+'|\b(process\.|console\.|Date\.now|new Date\(\)|Math\.random|setTimeout|fetch\()/g

/** What is loaded before a file: not what it only has the types of, nor what it loads later. */
function loadedBy(file: string, text: string): string[] {
  return [...text.matchAll(/^(?:import|export)\s(?!type\b)[^']*?from '([^']+)'/gm)].map(([, name]) =>
    name!.startsWith('.') ? relative(SRC, join(SRC, dirname(file), name!)) : name!,
  )
}

/** A package, and the files that can't be loaded without it. */
function loadingWith(name: string): Set<string> {
  const loadedWith = new Map(files.map(({ file, text }) => [file, loadedBy(file, text)]))
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

  test('a command uses no other command', () => {
    const between = files.flatMap(({ file, imports }) => {
      const [, name] = /^commands\/([^/]+)\//.exec(file) ?? []
      return imports
        .map((one) => /^commands\/([^/]+)\//.exec(one)?.[1])
        .filter((other) => name !== undefined && other !== undefined && other !== name)
        .map((other) => `${name} -> ${other}`)
    })
    expect([...new Set(between)].sort()).toEqual([])
  })

  test('every file is in a room', () => {
    expect(files.map(({ file }) => file).filter((file) => !ROOMS.includes(roomOf(file)))).toEqual([])
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
      .filter(({ file }) => !/^(cli|commands)\/|^(main|cli)\.ts$/.test(file))
      .flatMap(({ file, text }) =>
        [...text.matchAll(/console\.|process\.(stdout|stderr|exit)\b/g)].map(([word]) => `${file}: ${word}`),
      )
    expect(writing).toEqual([])
  })

  test('a command has at most 60 lines besides its help: what it does is a job', () => {
    const long = files
      .filter(
        ({ file, text }) =>
          file.startsWith('commands/') && /^export (?:const|function) configure/m.test(text),
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

  test('no file waits for itself to be loaded, by whatever way round', () => {
    const imports = new Map(files.map(({ file, text }) => [file, loadedBy(file, text)]))
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
