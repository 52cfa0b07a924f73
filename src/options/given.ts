import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import { nearest } from '../text/nearest.ts'
import { type Options, optionName, type Resolved } from './options.ts'
import type { Env, Row, Values } from './row.ts'
import { readText } from './values.ts'

/** What a program gives for an option: what a user would type, or the value itself. */
type OptionInput = string | number | boolean | readonly string[]

/** What a program may leave unsaid. */
type GivenOptions = Readonly<Record<string, OptionInput | undefined>>

/** Options that only a command heeds. A program that asks for a dry run must not have its events sent. */
const COMMANDS_OWN = new Set(['dryRun', 'verify', 'json', 'config', 'projectKeyStdin'])

/**
 * The options of a command as a program gives them, by the names of their values: `maxEventsPerMinute` is
 * `--max-events-per-minute`. They are read by the command's own rows. Code `usage` for a name that no row has, or that only a
 * command heeds, for a value of another kind, and for one that is missing; code `config` for a value that the row refuses.
 */
export function givenOptions<const R extends readonly Row[]>(
  rows: R,
  given: GivenOptions,
  { env = {}, keys = {} }: { readonly env?: Env; readonly keys?: Readonly<Record<string, Secret>> } = {},
): Options<Values<R>> {
  const byName = new Map(rows.map((row) => [optionName(row), row]))
  const names = [...byName.keys()].filter((name) => !COMMANDS_OWN.has(name))
  for (const name of Object.keys(given)) if (!names.includes(name)) throw unknownOption(name, names)
  const values: Record<string, unknown> = {}
  const resolved: Record<string, Resolved<unknown>> = {}
  for (const [name, row] of byName) {
    const value = given[name]
    if (value !== undefined) {
      values[name] = readGiven(row, name, value)
      resolved[name] = { value: values[name], source: 'cli', from: name }
      continue
    }
    if (row.required) throw new PosthaulError(`${name} is missing: ${row.help}`, { code: 'usage' })
    const usual = usualOf(row, env)
    values[name] = usual?.value
    if (usual) resolved[name] = usual
  }
  return { values: values as Values<R>, resolved: resolved as Options<Values<R>>['resolved'], env, keys }
}

/** What holds without a given value: the environment's, else the row's default. */
function usualOf(row: Row, env: Env): Resolved<unknown> | undefined {
  const variable = row.env && env[row.env]
  if (variable) return { value: readText(row, variable, row.env!), source: 'env', from: row.env! }
  if (isSwitch(row)) return { value: false, source: 'default', from: 'the default' }
  if (isList(row)) return { value: [], source: 'default', from: 'the default' }
  if (row.default === undefined) return undefined
  return { value: readText(row, row.default, 'the default'), source: 'default', from: 'the default' }
}

function readGiven(row: Row, name: string, value: OptionInput): unknown {
  if (isSwitch(row) !== (typeof value === 'boolean'))
    throw wrongKind(name, isSwitch(row) ? 'true or false' : 'a value')
  if (typeof value === 'boolean') return value
  if (isList(row)) return [value].flat().map((text) => readText(row, String(text), name))
  if (typeof value === 'object') throw wrongKind(name, 'one value')
  return readText(row, String(value), name)
}

function isSwitch({ flag }: Row): boolean {
  return flag !== undefined && !flag.includes(' ')
}

function isList({ flag }: Row): boolean {
  return flag?.endsWith('...>') === true
}

function wrongKind(name: string, expected: string): PosthaulError {
  return new PosthaulError(`${name}: expected ${expected}`, { code: 'usage' })
}

function unknownOption(name: string, names: readonly string[]): PosthaulError {
  const meant = nearest(name, names)
  return new PosthaulError(`${name} is no option`, {
    code: 'usage',
    hint: meant ? `did you mean ${meant}?` : `options: ${names.join(', ')}`,
  })
}
