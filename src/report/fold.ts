import { width } from './visible.ts'

/** The columns of the usual terminal. What goes to a log or a mail is folded for it too. */
export const COLUMNS = 80

/**
 * Text in lines that fit a terminal: each begins with `indent`, or the first with `first`. Broken at blanks alone,
 * so that a long path or address stays whole; not before a figure, which belongs to the word it counts.
 */
export function fold(text: string, indent: string, first = indent): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(/ (?!\d)/)) {
    if (!empty && width(line) + 1 + width(word) > COLUMNS) {
      lines.push(line)
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line]
}

/** The same as lines to be written. */
export function folded(text: string, indent: string, first = indent): string {
  return `${fold(text, indent, first).join('\n')}\n`
}
