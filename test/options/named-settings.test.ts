import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { AnyCommand } from '../../src/commands/command.ts'
import { COMMANDS } from '../../src/commands/index.ts'
import { hasFile, VARIABLES } from '../../src/options/environment.ts'
import { flagOf, type Row } from '../../src/options/row.ts'
import { SETTINGS } from '../../src/options/settings.ts'

// What a text tells a user to set must be there to be set, by the command that says so.

const SRC = join(import.meta.dirname, '../../src')
/** A message can be written over some lines. */
const AROUND = 12

/** The sources' lines without comments. */
const FILES = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8').replaceAll(/^ *\/\*.*?\*\/$/gms, '')
    return { path, lines: text.split('\n').map((line) => line.replace(/(^| )\/\/ .*$/, '')) }
  })

/** Each place of a name: `near` is its line, with those around it. */
function placesOf(pattern: RegExp) {
  return FILES.flatMap(({ path, lines }) =>
    lines.flatMap((line, at) => {
      const near = lines.slice(Math.max(0, at - AROUND), at + AROUND).join(' ')
      return [...line.matchAll(pattern)].map(([, name]) => ({ path, name: name!, near }))
    }),
  )
}

/** What each command can be told, by its names: `groups list`. */
const NAMES = new Map<string, ReadonlySet<string>>()
/** Options that every command has, or that of another program. */
const COMMON = '--help --version --quiet --verbose --debug --include --heap-growing-percent'.split(' ')
for (const [name, { load }] of Object.entries(COMMANDS)) {
  const { command } = await load()
  const all: (readonly [string, AnyCommand])[] =
    'commands' in command ? Object.entries(command.commands) : [['', command]]
  for (const [below, { options, isReported }] of all) {
    const rows: readonly Row[] = [
      ...options,
      ...(isReported ? SETTINGS.filter(({ shown }) => shown === 'common') : []),
    ]
    const names = rows.flatMap((row) => [flagOf(row), ...(row.env === undefined ? [] : [row.env])])
    for (const key of [name, `${name} ${below}`.trim()])
      NAMES.set(key, new Set([...(NAMES.get(key) ?? COMMON), ...names]))
  }
}
const ALL = new Set([...NAMES.values()].flatMap((names) => [...names]))

const FLAG = /['"`( ](--[a-z][a-z-]*[a-z])(?=[ =`'",.:;)]|$)/g
/** Options that are tried as those of other tools, and code that counts down. */
const NO_FLAGS = ['--input', '--output', '--mapping', '--depth', '--open']

test('every option that a text names is an option of a command', () => {
  const wrong = placesOf(FLAG).filter(({ name }) => !ALL.has(name) && !NO_FLAGS.includes(name))
  expect(wrong.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('an option or a variable that a command names is its own, or of a command that it names with it', () => {
  // Words of command lines that run and status make of others are no text.
  const places = [FLAG, /\b(POSTHAUL_[A-Z_]*[A-Z])\b/g]
    .flatMap(placesOf)
    .filter(({ path }) => !/^commands\/(run\/migration-run|status\/status-of)/.test(path))
  const wrong = places.filter(({ path, name, near }) => {
    const [, command = ''] = /^commands\/([a-z]+)\//.exec(path) ?? []
    if (!NAMES.has(command) || !ALL.has(name) || NAMES.get(command)!.has(name)) return false
    return ![...NAMES].some(([other, names]) => names.has(name) && new RegExp(`\\b${other}\\b`).test(near))
  })
  expect(wrong.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

/** What is set for a program of the user's, or by the program for itself. */
const OWN = [
  'POSTHAUL_FROM',
  'POSTHAUL_TO',
  'POSTHAUL_COMPLETE',
  'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED',
]

test('every variable that a text names is read', () => {
  const known = new Set([
    ...OWN,
    ...VARIABLES.flatMap((one) => [one.name, ...(hasFile(one) ? [`${one.name}_FILE`] : [])]),
  ])
  const constants = new Set(placesOf(/(?:const|as) ([A-Z_]+)\b/g).map(({ name }) => name))
  // A preset reads no variable.
  const named = placesOf(/\b((?:POSTHAUL|POSTHOG|MIXPANEL|AMPLITUDE|MATOMO|AWS)_[A-Z_]*[A-Z])\b/g)
  const wrong = named.filter(
    ({ path, name }) => !path.startsWith('presets/') && !known.has(name) && !constants.has(name),
  )
  expect(wrong.map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})

test('every key of the config file that a text names is one', () => {
  const known = new Set(SETTINGS.map(({ config }) => config))
  const named = placesOf(
    /(?:"|[ (]|^)((?:import\.)?[a-z]+[A-Z]?[a-zA-Z]*)(?:": | (?:in|of) posthaul\.config\.json)/g,
  ).filter(({ near }) => near.includes('in posthaul.config.json'))
  expect(named.map(({ name }) => name)).toContain('import.singleWriter')
  expect(named.filter(({ name }) => !known.has(name)).map(({ path, name }) => `${path}: ${name}`)).toEqual([])
})
