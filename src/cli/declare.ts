import { Argument, type Command as Commander } from 'commander'
import type { AnyCommand, CommandGroup } from '../commands/command.ts'
import { type AnyCall, perform } from '../commands/perform.ts'
import { useReported } from '../commands/reported.ts'
import { type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, optionName, useOptions } from '../options/options.ts'
import { flagOf, type Row } from '../options/row.ts'

type Exit = (code: ExitCode) => void

/** Makes a command line of a command: its options, its help, and what is printed of its results. */
export function declare(command: AnyCommand | CommandGroup, target: Commander, io: Io, exit: Exit): void {
  if (command.help) target.addHelpText('after', command.help)
  if ('commands' in command) {
    target.helpCommand('help [command]', 'show help for a command')
    for (const [name, one] of Object.entries(command.commands))
      declare(one, target.command(name).description(one.summary), io, exit)
    return
  }
  const { argument, options, oneOf = [] } = command
  if (argument) {
    const [name, help, choices] = argument
    const taken = new Argument(name, help)
    target.addArgument(choices ? taken.choices(choices) : taken)
  }
  const program = async () => (await import('./program.ts')).treeOf(rootOf(target))
  const action = async (given: Options<object>, args: readonly string[]) => {
    const call: AnyCall = { ...given, args, program }
    for (const names of oneOf) assertOne(names, options, call)
    return perform(command, call, target.name(), io)
  }
  if (command.isReported) useReported(target, options, { io, exit }, action)
  else useOptions(target, options, io.env, async (given, args) => exit(await action(given, args)))
}

function rootOf(command: Commander): Commander {
  return command.parent ? rootOf(command.parent) : command
}

/** Code `usage` if two of the options are given. */
function assertOne(names: readonly string[], options: readonly Row[], { resolved }: AnyCall): void {
  const sources = resolved as Readonly<Record<string, { readonly source: string } | undefined>>
  const isGiven = (name: string) => ![undefined, 'default'].includes(sources[name]?.source)
  const [one, other] = options.filter((row) => names.includes(optionName(row)) && isGiven(optionName(row)))
  if (one === undefined || other === undefined) return
  throw new PosthaulError(`${flagOf(one)} and ${flagOf(other)} do not go together`, { code: 'usage' })
}
