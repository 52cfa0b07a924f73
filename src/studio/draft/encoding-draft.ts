import type { FoundEncoding } from '../../inputs/index.ts'
import { ENCODINGS } from '../../mapping/index.ts'
import type { DraftQuestion } from './draft-facts.ts'
import { comment, inComment } from './yaml-text.ts'

const MOST_NAMED = 3

/** What a mapping file says of the encoding of the inputs: nothing where they are UTF-8 or have byte order marks. */
export function encodingDraft({ encoding, other, example, mixed, unknown }: FoundEncoding): {
  readonly lines: readonly string[]
  readonly questions: readonly DraftQuestion[]
} {
  const questions: DraftQuestion[] = []
  const ask = (text: string) => {
    questions.push({ about: 'encoding', text })
    return comment(text, '', '# ? ')
  }
  if (encoding === undefined) {
    if (other !== undefined) {
      const lines = ask(
        `${named(mixed)}: some rows are not UTF-8. In ${other} they have words such as ${JSON.stringify(example)}. They become rejects (bad_utf8) that keep their bytes: run again with "encoding: ${other}" in a mapping file, they are read by it?`,
      )
      return { lines: [...lines, ''], questions }
    }
    if (unknown.length === 0) return { lines: [], questions }
    const others = ENCODINGS.slice(1).join(', ')
    const lines = ask(
      `${named(unknown)}: the text is neither UTF-8 nor Windows-1252. Convert it, such as with iconv, or say "encoding:" and one of ${others}?`,
    )
    return { lines: [...lines, ''], questions }
  }
  const why =
    example === undefined
      ? 'The text has no byte order mark, and is in UTF-16.'
      : `The text is not UTF-8. In ${encoding} it has words such as ${inComment(JSON.stringify(example))}.`
  const asked =
    mixed.length === 0
      ? []
      : ask(
          `${named(mixed)}: there is UTF-8 too. Such rows become rejects (bad_encoding), whose records run again as they are; does a file that is all UTF-8 get a transform of its own?`,
        )
  return { lines: [...comment(why), ...asked, `encoding: ${encoding}`, ''], questions }
}

function named(files: readonly string[]): string {
  const more = files.length - MOST_NAMED
  return `${files.slice(0, MOST_NAMED).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
