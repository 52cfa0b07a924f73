import { posthaulLine, shellWord } from './shell-word.ts'

/** A command with the variables that it needs, as a line for a POSIX shell. */
export function shellLine({
  argv,
  env,
}: {
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
}): string {
  const variables = Object.entries(env).map(([name, value]) => `${name}=${shellWord(value)} `)
  return `${variables.join('')}${posthaulLine(argv)}`
}

const ONCE = ['--restart', '--new-migration', '--steal-lock']

/** `argv` without --restart and the like: to repeat such an option would undo what has been done since. */
export function withoutRestart(argv: readonly string[]): string[] {
  return argv.filter((word) => !ONCE.includes(word))
}

const WEBHOOK = '--notify-webhook'

/** `argv` without the address that is told of a run: nobody may read it who sees a command line printed or kept. */
export function withoutWebhook(argv: readonly string[]): string[] {
  return argv.filter((word, at) => word.split('=')[0] !== WEBHOOK && argv[at - 1] !== WEBHOOK)
}

/**
 * A name for the mended copy of the rejects. The rejects file itself stays as it is, and so does a copy in `argv`.
 * Folders and globs leave a file of rejects out, so the copy can be beside the input and does not become a part of it.
 */
export function mendedName(argv: readonly string[]): string {
  const free = (n: number): string => {
    const name = n === 1 ? 'mended.rejects.ndjson' : `mended-${n}.rejects.ndjson`
    return argv.some((word) => word.endsWith(name)) ? free(n + 1) : name
  }
  return free(1)
}

/** The command line that imports mended rejects with the options of `argv`. */
export function mendedCommand(argv: readonly string[]): string {
  const words: string[] = []
  let dropping = false
  for (const word of argv) {
    const [, flag] = /^(--(?:file|dataset|checkpoint))(?:=.*)?$/.exec(word) ?? []
    // The mended file replaces the input: its option and the values after it.
    if (word.startsWith('-')) dropping = flag !== undefined
    if (flag !== undefined && flag !== '--checkpoint' && !words.includes('--file')) {
      words.push('--file', mendedName(argv))
    }
    if (!dropping) words.push(word)
  }
  return posthaulLine(withoutRestart(words))
}

/** The command line that writes a copy of the rejects of the import of `argv`, which mendedCommand then takes. */
export function rejectsCommand(argv: readonly string[]): string {
  const which = optionsOf(argv, ['--file', '--dataset', '--state', '--checkpoint'])
  return `${posthaulLine(['status', ...which, '--rejects'])} > ${mendedName(argv)}`
}

/** The command line that shows the help of the command that `path` leads to. */
export function helpCommand(path: readonly string[]): string {
  return posthaulLine([...path, '--help'])
}

/**
 * `argv` with some options set to `values`: '' for an option without a value, undefined for one that goes. All words after an
 * option, up to the next, are its old values and go.
 */
export function withOptions(
  argv: readonly string[],
  values: Readonly<Record<string, string | undefined>>,
): string[] {
  const kept: string[] = []
  let dropping = false
  for (const word of argv) {
    if (word.startsWith('-')) dropping = Object.hasOwn(values, word.split('=')[0]!)
    if (!dropping) kept.push(word)
  }
  return [
    ...kept,
    ...Object.entries(values).flatMap(([flag, value]) => {
      if (value === undefined) return []
      return value === '' ? [flag] : [flag, value]
    }),
  ]
}

/** The words of `argv` that say where the service and the state are. */
export function placesOf(argv: readonly string[]): string[] {
  return optionsOf(argv, ['--region', '--host', '--config', '--state'])
}

/** The arguments that verify what the import of `argv` sent. `words`: its input, and what else verify must know. */
export function verifyArgv(words: readonly string[], argv: readonly string[]): string[] {
  return ['verify', ...words, ...optionsOf(argv, ['--checkpoint']), ...placesOf(argv)]
}

/** The arguments that say how far the request is to delete what the import of `argv` sent; with `importId` by that alone. */
export function undoWords(argv: readonly string[], importId?: string): string[] {
  const what =
    importId === undefined
      ? optionsOf(argv, ['--file', '--dataset', '--checkpoint'])
      : ['--import-id', importId]
  return ['undo', ...what, ...optionsOf(argv, ['--state']), '--status']
}

function optionsOf(argv: readonly string[], names: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    if (names.includes(word)) return argv.slice(at, at + 2)
    return names.some((name) => word.startsWith(`${name}=`)) ? [word] : []
  })
}
