import type { ShownCommand } from '../program.ts'

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
