/** The command line that repeats `argv`, quoted for a POSIX shell, to be copied from a terminal. */
export function continueCommand(argv: readonly string[]): string {
  return ['posthaul', ...argv].map(quote).join(' ')
}

function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
