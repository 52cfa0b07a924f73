/** The command line that goes on where `argv` stopped, quoted for a POSIX shell, to be copied from a terminal. */
export function continueCommand(argv: readonly string[]): string {
  return ['posthaul', ...argv].map(quote).join(' ')
}

/** The words of an import that has begun again: to repeat that one would throw away what has been done. */
export function begun(argv: readonly string[]): string[] {
  return argv.filter((word) => word !== '--restart')
}

/**
 * What a user may call the rejects once they are mended: the file they came from stays as it was written. Folders and
 * globs leave a rejects file out, so it can be beside the input and does not become a part of it.
 */
export function mendedName(argv: readonly string[]): string {
  const free = (n: number): string => {
    const name = n === 1 ? 'mended.rejects.ndjson' : `mended-${n}.rejects.ndjson`
    return argv.some((word) => word.endsWith(name)) ? free(n + 1) : name
  }
  return free(1)
}

/** The command line that imports mended rejects as `argv` imported its input. */
export function mendedCommand(argv: readonly string[]): string {
  const words: string[] = []
  let dropping = false
  for (const word of argv) {
    const [, flag] = /^(--(?:file|dataset|checkpoint))(?:=.*)?$/.exec(word) ?? []
    // What was imported, and the values after its option, give way to the mended file.
    if (word.startsWith('-')) dropping = flag !== undefined
    if (flag !== undefined && flag !== '--checkpoint' && !words.includes('--file')) {
      words.push('--file', mendedName(argv))
    }
    if (!dropping) words.push(word)
  }
  return continueCommand(begun(words))
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
  return optionsOf(argv, ['--endpoint'])
}

/** Those that say where the service is as well. */
export function placesOf(argv: readonly string[]): string[] {
  return optionsOf(argv, ['--endpoint', '--region', '--host', '--config'])
}

function optionsOf(argv: readonly string[], names: readonly string[]): string[] {
  return argv.flatMap((word, at) => {
    if (names.includes(word)) return argv.slice(at, at + 2)
    return names.some((name) => word.startsWith(`${name}=`)) ? [word] : []
  })
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
