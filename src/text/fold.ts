import { width } from './visible.ts'

/** The width of a usual terminal. Text for a log or a mail is folded to it too. */
export const COLUMNS = 80

/** Under a summary's words: the indent of what they say. */
export const REMARK = ' '.repeat(12)

/**
 * Folds text into lines that fit a terminal. The first line begins with `first`, the others with `indent`. Lines break
 * only at blanks, so that a path or an address stays whole. They never break before a digit, so that a number stays with
 * the word before it, nor after an option or the name of the program, so that `--map mapping.yaml` can be copied.
 */
export function fold(text: string, indent: string, first = indent, columns = COLUMNS): string[] {
  const lines: string[] = []
  let line = first
  let empty = true
  for (const word of text.split(/(?<!(?:^| )(?:--[\w-]+|posthaul)) (?!\d)/)) {
    if (!empty && width(line) + 1 + width(word) > columns) {
      lines.push(line)
      line = indent
      empty = true
    }
    line += empty ? word : ` ${word}`
    empty = false
  }
  return [...lines, line]
}

/** A summary's lines for a terminal that may be narrower: what hangs below a line is folded again with it. */
export function narrowed(lines: readonly string[], columns: number): string[] {
  if (columns >= COLUMNS) return [...lines]
  const whole: string[] = []
  for (const line of lines) {
    if (whole.length > 0 && line.startsWith(REMARK)) whole.push(`${whole.pop()} ${line.trim()}`)
    else whole.push(line)
  }
  return whole.flatMap((line) => fold(line.trimStart(), '    ', line.startsWith(' ') ? '  ' : '', columns))
}

/** A sentence under a summary's first line, which begins two columns before it goes on. */
export function hung(text: string): string[] {
  return fold(text, '    ', '  ')
}

/** The folded lines as one text, each with its line end. */
export function folded(text: string, indent: string, first = indent): string {
  return `${fold(text, indent, first).join('\n')}\n`
}
