import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
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

const TOP = ['errors.ts', 'version.ts', 'nearest.ts', 'units.ts']

/** Folder -> the folders and top-level files it may import from, besides itself. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  record: ['units.ts'],
  mapping: [...TOP, 'record'],
  store: [...TOP, 'record', 'http'],
  inputs: [...TOP, 'record', 'mapping', 'store'],
  transform: [...TOP, 'record', 'mapping', 'store', 'inputs'],
  http: [...TOP],
  options: [...TOP, 'record', 'store', 'http'],
  service: [...TOP, 'record', 'options', 'http'],
  delivery: [...TOP, 'record', 'store', 'http'],
  sources: [...TOP, 'record', 'store', 'inputs', 'options', 'http', 'service'],
  audit: [...TOP, 'record', 'store', 'transform', 'delivery'],
  sandbox: TOP,
}

/** Places that compute and nothing else. */
const PURE = ['record/', 'mapping/', 'delivery/verdict.ts', 'delivery/pacer.ts', 'http/retry-after.ts']
/** What they may take of the platform: functions of their arguments alone. */
const PURE_IMPORT = /^import \{ hash \} from 'node:crypto'$/gm
const IMPURE = /'node:[^']+'|\b(process\.|console\.|Date\.now|new Date\(\)|Math\.random|setTimeout|fetch\()/g

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
})
