import type { ErrorCode, YAMLError } from 'yaml'

/** What is wrong with a text that is no YAML, for a reader who doesn't know YAML, and what to do. */
export interface YamlWords {
  readonly message: string
  readonly hint: string
}

const QUOTES = 'put a text with : # @ ` % or a quote in it between quotes, such as name: "a: b"'
const SAME_COLUMN =
  'lines of one section begin in the same column: write the same number of blanks before each'

/** Where the parser's own sentence tells more than its code. */
const BY_SENTENCE: ReadonlyArray<readonly [RegExp, string, string]> = [
  [
    /^Missing closing (["'])/,
    'a quote is opened and not closed',
    'close it on the same line, before what comes next',
  ],
  [/Flow map/, 'a { is opened and not closed', 'write } after the last of its entries: { a: b, c: d }'],
  [/Flow sequence/, 'a [ is opened and not closed', 'write ] after the last of its entries: [a, b]'],
  [/cannot start with reserved character/, 'a text may not begin with this sign', QUOTES],
  [
    /Unexpected .* token|Missing , /,
    'something is missing before this, or too much',
    'entries between { } or [ ] have a comma between them: { a: b, c: d }',
  ],
  [/directives-end/, 'a line may not begin with %', QUOTES],
]

const BY_CODE: Partial<Readonly<Record<ErrorCode, readonly [string, string]>>> = {
  TAB_AS_INDENT: [
    'a tab is before the first word of the line',
    'write blanks in its place: two for each level',
  ],
  BAD_INDENT: ['the line begins in another column than those beside it', SAME_COLUMN],
  BLOCK_AS_IMPLICIT_KEY: [
    'a second ":" in a line, or a line that is too far to the right or left',
    `${QUOTES}; ${SAME_COLUMN}`,
  ],
  BLOCK_IN_FLOW: ['lines with "- " or "name:" may not be between { } or [ ]', 'write the list as [a, b]'],
  MULTILINE_IMPLICIT_KEY: ['a name without its ":"', 'write name: value, with a blank after the colon'],
  MULTIPLE_DOCS: [
    'the file goes on after ---',
    'one file is one set of settings: take --- and what is after it out',
  ],
  TAG_RESOLVE_FAILED: ['a text may not begin with !', QUOTES],
  BAD_ALIAS: ['a text may not begin with *, unless it names an anchor', QUOTES],
  BAD_DQ_ESCAPE: [
    'a backslash between double quotes begins an escape that is none',
    "use single quotes: 'C:\\new'",
  ],
}

/** The parser's error in a user's words. */
export function yamlWords({ code, message }: Pick<YAMLError, 'code' | 'message'>): YamlWords {
  const [, sentence, advice] = BY_SENTENCE.find(([pattern]) => pattern.test(message)) ?? []
  if (sentence !== undefined && advice !== undefined) return { message: sentence, hint: advice }
  const [what, hint] = BY_CODE[code] ?? [`this can't be read as YAML (${message})`, QUOTES]
  return { message: what, hint }
}
