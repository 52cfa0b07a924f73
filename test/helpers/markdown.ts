import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT = join(import.meta.dirname, '../..')

/** The pages a user or a contributor reads, by their path in the repository. */
export const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `docs/${name}`),
]

/** A fenced block of a page. */
export interface Block {
  /** Of its first line in the page, from 1. */
  readonly line: number
  /** `sh` blocks are run, `yaml` and `json` ones are parsed, all others are left alone. */
  readonly language: string
  /** Marked as not to be run or read: it needs an account, a terminal, or time. */
  readonly illustration: boolean
  readonly text: string
}

export function pageText(page: string): string {
  return readFileSync(join(ROOT, page), 'utf8')
}

/** The fenced blocks of a page. Throws on a fence whose words are none that are known. */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; words: string[]; lines: string[] } | undefined
  for (const [at, line] of pageText(page).split('\n').entries()) {
    const fence = /^```(.*)$/.exec(line)
    if (!fence) {
      open?.lines.push(line)
    } else if (!open) {
      open = { line: at + 2, words: fence[1]!.split(' '), lines: [] }
    } else {
      const [language = '', mark, ...more] = open.words
      if ((mark !== undefined && mark !== 'illustration') || more.length > 0)
        throw new Error(`${page}:${open.line - 1}: a block is marked as "illustration", or not at all`)
      blocks.push({
        line: open.line,
        language,
        illustration: mark !== undefined,
        text: `${open.lines.join('\n')}\n`,
      })
      open = undefined
    }
  }
  if (open) throw new Error(`${page}:${open.line - 1}: the block has no end`)
  return blocks
}

/** A page without its fenced blocks. */
export function proseOf(page: string): string {
  return pageText(page).replaceAll(/^```.*\n[\s\S]*?^```$/gm, '')
}

/** The texts between single backticks in the prose of a page. */
export function codeSpansOf(page: string): string[] {
  return [...proseOf(page).matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)
}

/** posthaul's command lines in a text, as words: what follows `posthaul` or `tool` up to the end of the command. */
export function commandLinesIn(text: string): string[][] {
  return (
    text
      .replaceAll('\\\n', ' ')
      // What other programs are told is theirs.
      .replaceAll(/--(run|count) (?:'(?:[^']|'\\'')*'|"(?:[^"\\]|\\.)*")/g, '--$1 …')
      .split('\n')
      .flatMap((line) => [
        ...line.matchAll(
          /(?:^|[\s/])(?:-p posthaul tool|posthaul|tool) ([a-z-].*?)(?= (?:&&|\|\||;;|;|[|&>])|$)/g,
        ),
      ])
      .map(([, words]) => words!.trim().split(/\s+/))
  )
}
