import type { Argument, Command, Option } from 'commander'
import type { ShownCommand, ShownOption, ShownValue, WordKind } from '../commands/program.ts'

/** The names of values, in help, that are places on this machine. All others are words. */
const PLACES: Readonly<Record<string, WordKind>> = {
  file: 'file',
  files: 'file',
  path: 'file',
  store: 'folder',
  folder: 'folder',
  dataset: 'folder',
  datasets: 'folder',
}

/** A command and all below it. They must have declared their options. */
export function treeOf(command: Command, path: readonly string[] = []): ShownCommand {
  // Also those that help shows by --all alone.
  for (const option of command.options) option.hideHelp(false)
  const help = command.createHelp()
  const below = command.commands.filter((one) => one.name() !== 'help')
  return {
    path,
    summary: command.description(),
    options: help.visibleOptions(command).map(optionOf),
    args: command.registeredArguments.map(argumentOf),
    commands: below.map((one) => treeOf(one, [...path, one.name()])),
  }
}

function optionOf({ flags, long, short, description, argChoices, variadic }: Option): ShownOption {
  const name = /<(.+)>$/.exec(flags)?.[1]
  return {
    flag: long ?? '',
    short,
    help: description,
    value: name === undefined ? undefined : shownValue(name, argChoices, variadic),
  }
}

function argumentOf(argument: Argument): ShownValue {
  return shownValue(argument.name(), argument.argChoices, argument.variadic)
}

function shownValue(name: string, choices: readonly string[] | undefined, several: boolean): ShownValue {
  return { kind: PLACES[name.replace('...', '')] ?? 'word', choices: choices ?? [], several }
}
