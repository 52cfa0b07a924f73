/** The command line that goes on where `argv` stopped, quoted for a POSIX shell, to be copied from a terminal. */
export function continueCommand(argv: readonly string[]): string {
  // To repeat this one would throw away what has been done.
  const words = argv.filter((word) => word !== '--restart')
  return ['posthaul', ...words].map(quote).join(' ')
}

/** What a user calls the rejects once they are mended: the file they came from stays as it was written. */
export const MENDED = 'mended.ndjson'

/** The command line that imports mended rejects as `argv` imported its input. */
export function mendedCommand(argv: readonly string[]): string {
  const words: string[] = []
  for (let i = 0; i < argv.length; i++) {
    const [, flag, value] = /^(--(?:file|dataset|checkpoint))(=.*)?$/.exec(argv[i]!) ?? []
    if (!flag) words.push(argv[i]!)
    else if (flag !== '--checkpoint') words.push('--file', MENDED)
    if (flag && value === undefined) i++
  }
  return continueCommand(words)
}

/** The command line that shows the help of the command that `path` leads to. */
export function helpCommand(path: readonly string[]): string {
  return continueCommand([...path, '--help'])
}

/** `argv` with other values for some of its options; a value's words follow their option. */
export function withOptions(argv: readonly string[], values: Readonly<Record<string, string>>): string[] {
  const kept: string[] = []
  let dropping = false
  for (const word of argv) {
    if (word.startsWith('-')) dropping = Object.hasOwn(values, word.split('=')[0]!)
    if (!dropping) kept.push(word)
  }
  return [...kept, ...Object.entries(values).flat()]
}

/** The words of `argv` that say where buckets are: a command on the same dataset needs them too. */
export function endpointOf(argv: readonly string[]): string[] {
  const at = argv.findIndex((word) => word === '--endpoint' || word.startsWith('--endpoint='))
  return at === -1 ? [] : argv.slice(at, at + (argv[at] === '--endpoint' ? 2 : 1))
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
