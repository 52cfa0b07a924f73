import type { Command } from 'commander'
import { PosthaulError } from '../errors.ts'
import { type ConfigFile, loadConfigFile } from './config-file.ts'
import { type Options, optionName, type Resolved, type ValueSource } from './options.ts'
import { type Env, flagOf, type Row, type Values } from './row.ts'
import { refuseKeysInVariables } from './stray-keys.ts'
import { readText } from './values.ts'

/**
 * Takes options that the command line does not give from the environment or the config file. Commander could read
 * variables itself, but it reads the process's own, takes an empty one as a value, and checks them before it reports
 * misspelt options.
 */
export async function resolve<R extends readonly Row[]>(
  command: Command,
  rows: R,
  env: Env,
): Promise<Options<Values<R>>> {
  refuseKeysInVariables(env)
  const hasConfig = rows.some((row) => row.config !== undefined)
  const config = hasConfig ? await loadConfigFile(command.opts().config, env) : undefined
  const resolved: Record<string, Resolved<unknown>> = {}
  for (const row of rows) {
    const name = optionName(row)
    const found = command.getOptionValueSource(name) === 'cli' ? undefined : givenTo(row, env, config)
    if (found) command.setOptionValueWithSource(name, readText(row, found.text, found.from), found.source)
    else if (row.flag === undefined && row.default !== undefined)
      command.setOptionValueWithSource(name, readText(row, row.default, 'the default'), 'default')
    const source = command.getOptionValueSource(name) as ValueSource | undefined
    const from = found?.from ?? (source === 'cli' ? flagOf(row) : 'the default')
    if (source) resolved[name] = { value: command.getOptionValue(name), source, from }
  }
  const given = (row: Row) => !['default', undefined].includes(resolved[optionName(row)]?.source)
  const missing = rows.find((row) => row.required && !given(row))
  if (missing) throw missingOption(missing, command.args.at(-1))
  return { values: command.opts<Values<R>>(), resolved: resolved as Options<Values<R>>['resolved'], env }
}

/** The text of an option in the environment, or else in the config file. An empty variable counts as none. */
function givenTo(
  row: Row,
  env: Env,
  config: ConfigFile | undefined,
): { readonly text: string; readonly from: string; readonly source: ValueSource } | undefined {
  const variable = row.env && env[row.env]
  if (variable) return { text: variable, from: row.env, source: 'env' }
  const setting = row.config && config?.get(row.config)
  return setting ? { ...setting, source: 'config' } : undefined
}

function missingOption(row: Row, argument: string | undefined): PosthaulError {
  const isMeant = row.bare && argument !== undefined && !/\.ya?ml$/.test(argument)
  return new PosthaulError(`${flagOf(row)} is missing`, {
    code: 'usage',
    hint: isMeant ? `did you mean ${flagOf(row)} ${argument}?` : `add ${row.flag}: ${row.help}`,
  })
}
