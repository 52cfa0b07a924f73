import type { Argument, Command, Option } from 'commander'

/** What a shell completes a value with. */
export type WordKind = 'file' | 'folder' | 'word'

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

/** The value of an option or an argument. */
export interface ShownValue {
  /** As help shows it, without its brackets: `path...` */
  readonly name: string
  readonly kind: WordKind
  /** The only words that are allowed; none if there are others. */
  readonly choices: readonly string[]
  readonly several: boolean
  readonly required: boolean
}

export interface ShownOption {
  /** `--in`. */
  readonly flag: string
  readonly short: string | undefined
  readonly help: string
  /** None for a switch. */
  readonly value: ShownValue | undefined
}

/** A command as its table of options declares it. */
export interface ShownCommand {
  /** The words that lead to it: `export`, `mixpanel`; none for posthaul itself. */
  readonly path: readonly string[]
  readonly summary: string
  readonly options: readonly ShownOption[]
  readonly args: readonly ShownValue[]
  readonly commands: readonly ShownCommand[]
  /** What its help says after the options. */
  readonly notes: string
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
    notes: notesOf(command),
  }
}

/** The tree as a list, each command before those below it. */
export function allOf(command: ShownCommand): ShownCommand[] {
  return [command, ...command.commands.flatMap(allOf)]
}

/** `/export/mixpanel`: the words that lead to a command, as the scripts tell places apart. */
export function joined(path: readonly string[]): string {
  return path.map((word) => `/${word}`).join('')
}

/** A word as bash and zsh take it literally. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`
}

/** The help of an option without the choices, the default and the variable that its last brackets name. */
export function withoutNotes(help: string): string {
  return help.replace(/ \([^()]*\)$/, '')
}

function optionOf({ flags, long, short, description, argChoices, variadic }: Option): ShownOption {
  const name = /<(.+)>$/.exec(flags)?.[1]
  return {
    flag: long ?? '',
    short,
    help: description,
    value:
      name === undefined
        ? undefined
        : shownValue({ name, choices: argChoices, several: variadic, required: true }),
  }
}

function argumentOf(argument: Argument): ShownValue {
  const { argChoices: choices, variadic: several, required } = argument
  return shownValue({ name: argument.name(), choices, several, required })
}

interface Declared {
  readonly name: string
  readonly choices: readonly string[] | undefined
  readonly several: boolean
  readonly required: boolean
}

function shownValue({ name, choices = [], several, required }: Declared): ShownValue {
  return { name, kind: PLACES[name.replace('...', '')] ?? 'word', choices, several, required }
}

/** Commander keeps the texts of `addHelpText` to itself: what help prints after its own part is all of them. */
function notesOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (some) => {
      text += some
    },
  })
  command.outputHelp()
  return text.slice(command.helpInformation().length).trim()
}
