/** A piece of a query. `text` is the value of a string or a name, and the source of everything else. */
export interface Token {
  readonly kind: 'string' | 'name' | 'number' | 'space' | 'other'
  readonly text: string
  /** A name in quotes is never a keyword. */
  readonly quoted: boolean
}

/** A query that can't be run; the message is the answer's `detail`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

const PATTERNS: readonly (readonly [kind: Token['kind'] | 'comment' | 'quoted', pattern: RegExp])[] = [
  ['space', /\s+/y],
  ['comment', /--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['string', /'(?:[^'\\]|\\[\s\S]|'')*'/y],
  ['quoted', /`(?:[^`\\]|\\[\s\S])*`|"(?:[^"\\]|\\[\s\S]|"")*"/y],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['name', /[A-Za-z_$][\w$]*/y],
  ['other', /[<>=!|]{2}|[^\s\w'"`]/y],
]

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '0': '\0', b: '\b', f: '\f' }

/** Cuts a query into tokens; comments become a blank. Throws QueryError where nothing fits. */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < sql.length; ) {
    const token = readToken(sql, at)
    if (!token) throw new QueryError(`Syntax error at position ${at}: ${sql.slice(at, at + 20)}`)
    tokens.push(token)
    at = token.end
  }
  return tokens
}

function readToken(sql: string, at: number): (Token & { end: number }) | undefined {
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at
    const match = pattern.exec(sql)?.[0]
    if (match === undefined) continue
    const end = at + match.length
    if (kind === 'comment') return { kind: 'space', text: ' ', quoted: false, end }
    if (kind === 'quoted') return { kind: 'name', text: unescapeText(match), quoted: true, end }
    return { kind, text: kind === 'string' ? unescapeText(match) : match, quoted: false, end }
  }
  return undefined
}

/** The text between quotes, with backslash escapes and doubled quotes resolved. */
function unescapeText(literal: string): string {
  const quote = literal[0]!
  return literal
    .slice(1, -1)
    .replace(/\\([\s\S])|(['"])\2/g, (pair, escaped: string | undefined) =>
      escaped === undefined ? (pair[0] === quote ? quote : pair) : (ESCAPES[escaped] ?? escaped),
    )
}
