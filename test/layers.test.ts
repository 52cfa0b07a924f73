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

const TOP = ['errors.ts', 'version.ts', 'nearest.ts']

/** Folder -> the folders and top-level files it may import from, besides itself. */
const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  record: [],
  store: ['errors.ts', 'record'],
  formats: [...TOP, 'record', 'store'],
  transform: [...TOP, 'record', 'store', 'formats', 'report/counts.ts'],
  config: [...TOP, 'store'],
  service: [...TOP, 'record', 'store', 'config'],
  delivery: [...TOP, 'record', 'store', 'service', 'report/counts.ts'],
  // Exports of groups are sorted and sealed by the very code that seals events.
  sources: [...TOP, 'record', 'store', 'formats', 'transform', 'service', 'config', 'report/counts.ts'],
  sandbox: [...TOP, 'report/visible.ts'],
}

/** Places that compute and nothing else. */
const PURE = [
  'record/',
  'transform/presets/',
  'delivery/verdict.ts',
  'delivery/pacer.ts',
  'transform/engine.ts',
]

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
        .filter((name) => !(file.startsWith('report/') && name === 'commands/command.ts'))
        .map((name) => `${file} -> ${name}`),
    )
    expect(wrong).toEqual([])
  })

  test.each(PURE)('%s touches no process, console, clock, file or network', (place) => {
    const touching = files
      .filter(({ file }) => file.startsWith(place))
      .flatMap(({ file, text, imports }) => [
        ...imports.filter((name) => name.startsWith('node:')).map((name) => `${file}: ${name}`),
        ...[...text.matchAll(/\b(process\.|console\.|Date\.now|new Date\(\)|setTimeout|fetch\()/g)].map(
          ([word]) => `${file}: ${word}`,
        ),
      ])
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
