import { Command, CommanderError } from 'commander'
import { declare } from './cli/declare.ts'
import { TOPICS } from './cli/help/topics.ts'
import { COMMANDS } from './commands/index.ts'
import { renderError } from './commands/render-error.ts'
import { EXIT, type ExitCode } from './errors.ts'
import type { Io } from './io.ts'
import type { Entry } from './telemetry/entry.ts'
import { helpCommand, withoutWebhook } from './text/command-line.ts'
import { folded } from './text/fold.ts'
import { failureJson, jsonLine } from './text/json.ts'
import { nearest } from './text/nearest.ts'
import { VERSION } from './version.ts'

const USUAL_WIDTH = 80

const HELP = `
Topics: posthaul help ${Object.keys(TOPICS).join(', ')}
See it all on sample data: posthaul demo`

function headOf(group: string): string {
  return `${group[0]!.toUpperCase()}${group.slice(1)}:`
}

function buildProgram(): Command {
  return new Command('posthaul')
    .description(
      'Carries product-analytics history into PostHog without losing, doubling or bending an event.',
    )
    .version(VERSION, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .commandsGroup(headOf('more'))
    .helpCommand('help [command]', 'show help for a command, or a topic')
    .configureHelp({ showGlobalOptions: false, optionDescription: ({ description }) => description })
    .addHelpText('after', HELP)
    .exitOverride()
}

/** Runs one command line (`argv` without node and the script). Never throws; resolves to the exit code. */
export async function run(world: Io): Promise<ExitCode> {
  const argv = asMeant(world.argv)
  // What is printed or kept of the command line has no address that is a secret.
  const io: Io = { ...world, argv: withoutWebhook(argv) }
  let code: ExitCode = EXIT.done
  const program = buildProgram().configureOutput({
    writeOut: (text) => void io.stdout.write(text),
    writeErr: (text) => io.telemetry.tell(usage(text)),
    getOutHelpWidth: () => widthOf(io.stdout),
    getErrHelpWidth: () => widthOf(io.stderr),
    outputError: (text, write) => write(inOurWords(text)),
  })
  const [first, topic = ''] = io.argv
  if (first === 'help' && Object.hasOwn(TOPICS, topic)) {
    const page = await TOPICS[topic]!.load()
    io.stdout.write(page())
    return code
  }
  const wanted = first === 'help' ? topic : io.argv.find((word) => !word.startsWith('-'))
  // It describes all commands, which must have declared their options.
  const describesAll = wanted === 'completion'
  for (const [name, entry] of Object.entries(COMMANDS)) {
    const command = program.command(name).description(entry.summary).helpGroup(headOf(entry.group))
    if (name === wanted || describesAll) {
      declare((await entry.load()).command, command, io, (result) => {
        code = result
      })
    }
  }
  let json = false
  program.hook('preAction', (_, command) => {
    json = command.opts().json === true
  })
  try {
    if (!argv.every(holdsNoKey)) {
      const { refuseKeysInArguments } = await import('./options/stray-keys.ts')
      refuseKeysInArguments(argv, io.env, (word) => isSwitch(word, program))
    }
    if (argv.includes('--all') || !asksForHelp(argv)) showAll(program)
    await io.drain.within(program.parseAsync([...asked(argv, program)], { from: 'user' }))
  } catch (error) {
    const path = pathOf(program, io.argv)
    if (!(error instanceof CommanderError)) {
      // A command that throws has printed no summary, so this is its only object on stdout.
      const failure = json ? failureJson(error, path) : undefined
      if (failure) io.stdout.write(jsonLine(failure))
      return renderError(error, io, path)
    }
    if (error.exitCode === 0) return EXIT.done
    // If only a group of commands was named, commander has printed its help already.
    if (error.code !== 'commander.help') await tellUsage(error, program, io)
    return EXIT.usage
  }
  return code
}

/** `-v` asks for the version, as elsewhere; help for a command that is none is refused as that command is. */
function asMeant(argv: readonly string[]): readonly string[] {
  const [first, topic] = argv
  if (first === '-v') return ['--version']
  const isTopic =
    topic === undefined || [COMMANDS, TOPICS, { help: true }].some((names) => Object.hasOwn(names, topic))
  return first === 'help' && !isTopic ? [topic] : argv
}

/** A word after `help` and a group that names no command of the group is refused as it would be without `help`. */
function asked(argv: readonly string[], { commands }: Command): readonly string[] {
  const [first, group, name] = argv
  const below = first === 'help' && name ? commands.find((one) => one.name() === group)?.commands : undefined
  return below?.length && !below.some((one) => one.name() === name) ? argv.slice(1) : argv
}

/** Options of other tools, and what they are called here. */
const MEANT: Readonly<Record<string, readonly string[]>> = {
  '--input': ['--in', '--file'],
  '--in': ['--file'],
  '--file': ['--in'],
  '--output': ['--out'],
  '--mapping': ['--map'],
}

/** What helps with a command line that commander has refused, after its own words. */
async function tellUsage({ code, message }: CommanderError, program: Command, io: Io): Promise<void> {
  const path = pathOf(program, io.argv)
  const tell = (text: string) => io.telemetry.tell(usage(text))
  if (code === 'commander.missingArgument') tell(argumentHint(program, path))
  if (code === 'commander.unknownCommand' && !/Did you mean/i.test(message)) {
    const { PRESET_NAMES } = await import('./presets/index.ts')
    const word = /'(.+)'$/m.exec(message)?.[1] ?? ''
    const topic = path.length === 0 ? nearest(word, Object.keys(TOPICS)) : undefined
    if (topic !== undefined) tell(`  did you mean posthaul help ${topic}?\n`)
    if (PRESET_NAMES.includes(word)) tell(`  posthaul transform --preset ${word} reads its files\n`)
  }
  if (code === 'commander.unknownOption') {
    // Help has no use for the options of all commands.
    const { settingInsteadOf } = await import('./options/settings.ts')
    const flag = /'(--[a-z-]+)/.exec(message)?.[1] ?? ''
    const { options = [] } =
      path.reduce<Command | undefined>(
        (at, name) => at?.commands.find((one) => one.name() === name),
        program,
      ) ?? {}
    const meant = MEANT[flag]?.find((one) => options.some(({ long }) => long === one))
    if (meant !== undefined && !/Did you mean/i.test(message)) tell(`  did you mean ${meant}?\n`)
    const setting = settingInsteadOf(flag)
    if (setting !== undefined) tell(folded(setting, '  '))
  }
  tell(`  options: ${helpCommand(path)}\n`)
}

/** Words that are no value: to look for keys takes every option's row, which help of all commands has no use for. */
function holdsNoKey(word: string): boolean {
  return Object.hasOwn(COMMANDS, word) || /^(help|--help|-h|--version|-V|--all)$/.test(word)
}

function asksForHelp(argv: readonly string[]): boolean {
  return argv[0] === 'help' || argv.includes('--help') || argv.includes('-h')
}

/** Lets help show the options, too, that few need, and a hint name one of them for a misspelt one. */
function showAll(command: Command): void {
  for (const option of command.options) option.hideHelp(false)
  for (const one of command.commands) showAll(one)
}

/** True of an option without a value, of the commands that have declared theirs. */
function isSwitch(word: string, { options, commands }: Command): boolean {
  return (
    options.some((one) => one.long === word && one.isBoolean()) ||
    commands.some((command) => isSwitch(word, command))
  )
}

/** The names of commands that `argv` begins with. It stops at the first word that is not a command. */
function pathOf(program: Command, argv: readonly string[]): string[] {
  const path: string[] = []
  let at: Command | undefined = program
  for (const word of argv) {
    at = at.commands.find((command) => command.name() === word)
    if (!at) break
    path.push(word)
  }
  return path
}

/** How the command that `path` leads to is written with its argument, and what that may be. */
function argumentHint(program: Command, path: readonly string[]): string {
  const command = path.reduce((at, name) => at.commands.find((one) => one.name() === name) ?? at, program)
  const { argChoices, description } = command.registeredArguments[0]!
  const [, argument] = / (<.+>)$/.exec(command.usage())!
  return folded(
    `write posthaul ${path.join(' ')} ${argument}: ${argChoices?.join(', ') ?? description}`,
    '  ',
  )
}

/** Commander's message about a wrong command line, in the form of our own errors. */
function inOurWords(text: string): string {
  return text
    .replace(/^error: option '(\S+) (.*)' argument missing$/m, 'posthaul: $1 needs a value: $1 $2')
    .replace(/^error: missing required argument '(\S+)'$/m, 'posthaul: the argument $1 is missing')
    .replace(
      /^error: command-argument value '(.*)' is invalid for argument '(\S+)'. Allowed choices are (.*)\.$/m,
      'posthaul: $2 is "$1": expected $3',
    )
    .replace(/^error: /, 'posthaul: ')
    .replace(/^\(Did you mean (.*)\?\)$/m, '  did you mean $1?')
}

/** What is wrong with a command line, and the help for it. */
function usage(block: string): Entry {
  return { event: 'usage', level: 'error', label: 'posthaul', message: block.trim(), block }
}

/** The width that help is folded to: the terminal's, or the usual one if it goes elsewhere. */
function widthOf(stream: { readonly isTTY?: boolean; readonly columns?: number | undefined }): number {
  return (stream.isTTY && stream.columns) || USUAL_WIDTH
}
