import { Command, Option } from 'commander'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import { configName, type Env, flagOf, helpOf, type Row, type Values } from './row.ts'
import { readText } from './values.ts'

/** Where a value can come from, strongest first. The words are commander's. */
export const SOURCES = ['cli', 'env', 'config', 'default'] as const
export type ValueSource = (typeof SOURCES)[number]

/** A value and where it came from, also in the user's words (`--host`, `POSTHOG_HOST`). */
export interface Resolved<T> {
  readonly value: T
  readonly source: ValueSource
  readonly from: string
}

/** The options of a command: the values of its rows, and where each came from. */
export interface Options<V> {
  readonly values: V
  readonly resolved: {
    readonly [Name in keyof V]: undefined extends V[Name]
      ? Resolved<NonNullable<V[Name]>> | undefined
      : Resolved<V[Name]>
  }
  /** For settings that have no row, such as keys. */
  readonly env: Env
  /** Keys that a program gave, by the variable that a command would read them from. */
  readonly keys?: Readonly<Record<string, Secret>>
}

/** Declares a command's options. `action` gets their values, and the arguments that belong to no option. */
export function useOptions<const R extends readonly Row[]>(
  command: Command,
  rows: R,
  env: Env,
  action: (options: Options<Values<R>>, args: readonly string[]) => Promise<void>,
): void {
  for (const row of rows) if (row.flag !== undefined) command.addOption(optionOf(row, row.flag, command))
  command.addHelpText('after', () => moreOptions(command))
  command.allowExcessArguments().action(async () => {
    refuseExcess(command, rows)
    // Help has no use for the config file, and what reads it.
    const { resolve } = await import('./resolve.ts')
    await action(await resolve(command, rows, env), command.args)
  })
}

/** The options and arguments that a command of these rows, and perhaps an argument, would read of its words. */
export async function readOptions<const R extends readonly Row[]>(
  rows: R,
  words: readonly string[],
  env: Env,
  argument?: readonly [name: string, ...more: unknown[]],
): Promise<Options<Values<R>> & { readonly args: readonly string[] }> {
  // Commander would end the process for a wrong word, and print what the error says already.
  const command = new Command().exitOverride().configureOutput({ writeErr: () => undefined })
  if (argument) command.argument(argument[0])
  const read: (Options<Values<R>> & { readonly args: readonly string[] })[] = []
  useOptions(command, rows, env, async (options, args) => void read.push({ ...options, args }))
  await command.parseAsync(words, { from: 'user' })
  return read[0]!
}

/** What help says after the options, where it does not show all of them. */
function moreOptions(command: Command): string {
  if (!command.options.some(({ hidden }) => hidden)) return ''
  const path = [command.parent?.parent && command.parent.name(), command.name()].filter(Boolean).join(' ')
  return `\nMore options: posthaul ${path} --help --all\nLogs, metrics, notices and the like: posthaul help common`
}

function optionOf(row: Row, flag: string, command: Command): Option {
  const option = newOption(row.short === undefined ? flag : `${row.short}, ${flag}`, helpOf(row))
  option.hideHelp(row.shown !== undefined)
  if (option.isBoolean()) return option.default(false)
  // For completion. Commander would check them itself, in words of its own.
  if (row.choices) option.argChoices = [...row.choices]
  const given = () => command.getOptionValueSource(option.attributeName()) === 'cli'
  if (option.variadic) {
    return option
      .default([])
      .argParser((text, before: unknown) => [
        ...(given() ? (before as unknown[]) : []),
        readText(row, text, flagOf(row)),
      ])
  }
  if (row.default !== undefined) option.default(readText(row, row.default, 'the default'))
  return option.argParser((text) => {
    if (given()) {
      const hint = 'leave one of the two out'
      throw new PosthaulError(`${flagOf(row)} is given twice, and takes one value`, { code: 'usage', hint })
    }
    return readText(row, text, flagOf(row))
  })
}

/** The name of a row's value; see NameOf. */
export function optionName(row: Row): string {
  return row.flag === undefined ? configName(row) : newOption(row.flag).attributeName()
}

/** `--no-check` is a switch like any other, and sets `noCheck`: commander would make it the opposite of `--check`. */
function newOption(flag: string, help?: string): Option {
  const option = new Option(flag, help)
  option.negate = false
  return option
}

function refuseExcess(command: Command, rows: readonly Row[]): void {
  const { registeredArguments: declared, args } = command
  const excess = args[declared.length]
  if (excess === undefined || declared.at(-1)?.variadic) return
  const bare = rows.filter((row) => row.bare)
  // Else what the command can't do without.
  const isGiven = (row: Row) => command.getOptionValueSource(optionName(row)) === 'cli'
  const likely = bare.length > 0 ? bare : rows.filter((row) => row.required && !isGiven(row))
  const meant = likely.map((row) => `${flagOf(row)} ${excess}`)
  throw new PosthaulError(
    `unexpected argument "${excess}"${declared.length + bare.length === 0 ? ': this command takes options only' : ''}`,
    {
      code: 'usage',
      hint: meant.length > 0 ? `did you mean ${meant.join(', or ')}?` : 'leave it out, or choose an option',
    },
  )
}
