/** What a terminal would obey or not show: controls, marks of direction and line ends. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u

/** A word of a POSIX shell's command line that means this very text. The only place where words are quoted. */
export function shellWord(text: string): string {
  if (UNSEEN.test(text)) return inAnsiC(text)
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}

/** Arguments of posthaul as a command line, quoted for a POSIX shell so that a user can copy it from the terminal. */
export function posthaulLine(argv: readonly string[]): string {
  return ['posthaul', ...argv].map(shellWord).join(' ')
}

/** A path that no command takes for an option. */
export function pathWord(path: string): string {
  return path.startsWith('-') ? `./${path}` : path
}

/** bash, zsh, ksh and POSIX of 2024 read it. */
function inAnsiC(word: string): string {
  const letters = [...word].map((letter) => {
    if (letter === "'" || letter === '\\') return `\\${letter}`
    if (!UNSEEN.test(letter)) return letter
    // Octal, of three digits: of hexadecimal ones a shell may take more than are meant.
    return [...Buffer.from(letter)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
  })
  return `$'${letters.join('')}'`
}
