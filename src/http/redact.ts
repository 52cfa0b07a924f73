import { REDACTED, type Secret } from './secret.ts'

/** Takes secrets out of texts and errors before they reach logs, files or terminals. */
export interface Redactor {
  text(value: string): string
  /** A copy of the error and its causes, with only name, message, stack and code. */
  error(error: unknown): Error
}

const MAX_CAUSES = 5
// A group of three bytes has four base64 digits. Fewer digits would match in half of all texts.
const LEAST_CORE = 4
/** A text that ends in this number of a secret's characters was cut within it. Fewer characters say too little to look for. */
const LEAST_TAIL = 8
/** A longer secret is looked for in pieces: the engine's stack has no room for a pattern of some thousand characters. */
const MOST_PIECE = 200
/** An escape that is cut. */
const CUT_ESCAPE = String.raw`(?:\\+(?:u[\da-fA-F]{0,3})?|%(?:25)*[\da-fA-F]?)?`
const BASE64_RUN = /[\w+/=%\\-]/

/**
 * A redactor of these secrets in every form in which answers repeat them: as they are, with characters escaped as in
 * JSON or URLs, and within base64 text, wherever in it they begin. A secret that the text's end cuts is taken out as well.
 */
export function redactorOf(secrets: readonly Secret[]): Redactor {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))].filter(Boolean)
  const cores = values.flatMap(base64Cores)
  const plain = values.flatMap((value) => piecesOf(value))
  const encoded = cores.flatMap((core) => piecesOf(core, BASE64URL))
  const openings = [...plain, ...encoded].map(({ chars }) => urlSafe(chars.slice(0, LEAST_TAIL).join('')))
  let patterns: ReturnType<typeof patternsOf> | undefined
  const least = Math.min(LEAST_TAIL, ...[...values, ...cores].map(({ length }) => length))

  const text = (value: string): string => {
    // Most of an answer's dozen headers are shorter than any secret, so they need no search.
    if (value.length < least) return value
    // Patterns are slow to make and to run, and most texts show without them that no secret is there.
    const digits = urlSafe(value)
    const isPlain = !ESCAPE.test(value) && !value.includes(REDACTED)
    if (isPlain && !openings.some((opening) => digits.includes(opening))) return value
    patterns ??= patternsOf(plain, encoded)
    const { searches, tails, laterTails } = patterns
    let out = value
    out = without(out, runsAround(out, spansOf(out, searches.encoded)))
    out = without(out, spansOf(out, searches.plain))
    for (const pattern of tails) out = out.replace(pattern, REDACTED)
    // Patterns of a long secret are slow to make, and these need a mark.
    if (!out.includes(REDACTED)) return out
    for (const pattern of laterTails) out = out.replace(pattern, REDACTED)
    return out
  }
  const copy = (error: unknown, depth: number): Error => {
    if (!(error instanceof Error)) return new Error(text(String(error)))
    const clean = new Error(text(error.message))
    clean.name = error.name
    if (error.stack) clean.stack = text(error.stack)
    const { code } = error as NodeJS.ErrnoException
    if (typeof code === 'string') Object.assign(clean, { code })
    if (error.cause !== undefined && depth < MAX_CAUSES) clean.cause = copy(error.cause, depth + 1)
    return clean
  }
  return { text, error: (error) => copy(error, 0) }
}

/** With one of these a character of a secret may be in another form than its own. */
const ESCAPE = /[\\%]/

/** The digits in which the URL-safe alphabet differs. */
const BASE64URL: Readonly<Record<string, string>> = { '+': '-', '/': '_' }

/**
 * The base64 digits of the secret's whole groups of three bytes, once for each of the three positions in a group where
 * the secret can begin. Whatever text is before and after the secret (`user:key`), its base64 contains one of these.
 */
function base64Cores(value: string): string[] {
  const bytes = Buffer.from(value)
  return [0, 1, 2]
    .map((skip) => bytes.subarray(skip, bytes.length - ((bytes.length - skip) % 3)).toString('base64'))
    .filter((core) => core.length >= LEAST_CORE)
}

/** The text with the digits of the URL-safe alphabet. */
const urlSafe = (text: string) => text.replaceAll('+', '-').replaceAll('/', '_')

interface Piece {
  readonly chars: readonly string[]
  /** Other forms of a character than those that each has. */
  readonly others: Readonly<Record<string, string>>
  /** True if the secret begins with it. */
  readonly first: boolean
}

/** Pieces of about the same length, so that none is so short that it is found in any text. */
function piecesOf(text: string, others: Piece['others'] = {}): Piece[] {
  const chars = Array.from(text)
  const count = Math.ceil(chars.length / MOST_PIECE)
  const length = Math.ceil(chars.length / count)
  return Array.from({ length: count }, (_, i) => ({
    chars: chars.slice(i * length, (i + 1) * length),
    others,
    first: i === 0,
  }))
}

function patternsOf(plain: readonly Piece[], encoded: readonly Piece[]) {
  const pieces = [...plain, ...encoded]
  return {
    searches: { plain: plain.map(searchOf), encoded: encoded.map(searchOf) },
    tails: pieces.filter(({ first }) => first).map(tailOf),
    laterTails: pieces.filter(({ first }) => !first).map(tailOf),
  }
}

function searchOf(piece: Piece): RegExp {
  return new RegExp(formsOf(piece).join(''), 'g')
}

/** A pattern of a text's end that is the beginning of the piece. */
function tailOf(piece: Piece): RegExp {
  const { first } = piece
  const forms = formsOf(piece)
  // What was before a later piece is taken out by now, so that one character after the mark tells enough.
  const least = first ? LEAST_TAIL : 1
  if (forms.length < least) return /(?!)/
  const later = forms.slice(least).reduceRight((after, form) => `(?:${form}${after})?`, '')
  const before = first ? '' : REDACTED.replaceAll(/\W/g, '\\$&')
  return new RegExp(`${before}${forms.slice(0, least).join('')}${later}${CUT_ESCAPE}$`)
}

/** From an index of a text to the one after its end. */
type Span = readonly [start: number, end: number]

/** Where the patterns match, by their start. Matches may overlap, also those of one pattern: all of them are found. */
function spansOf(text: string, patterns: readonly RegExp[]): Span[] {
  const spans: Span[] = []
  for (const pattern of patterns) {
    pattern.lastIndex = 0
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      spans.push([hit.index, pattern.lastIndex])
      pattern.lastIndex = hit.index + 1
    }
  }
  return spans.sort(([a], [b]) => a - b)
}

/** The base64 runs that the spans are in: the digits around a core hold bits of the secret too. */
function runsAround(text: string, spans: readonly Span[]): Span[] {
  const runs: Span[] = []
  for (const [from, to] of spans) {
    const least = runs.at(-1)?.[1] ?? 0
    if (to <= least) continue
    let start = Math.max(from, least)
    let end = to
    while (start > least && BASE64_RUN.test(text[start - 1]!)) start--
    while (end < text.length && BASE64_RUN.test(text[end]!)) end++
    runs.push([start, end])
  }
  return runs
}

/** The text with one mark for each group of spans that touch. */
function without(text: string, spans: readonly Span[]): string {
  let out = ''
  let at = 0
  for (const [start, end] of spans) {
    if (start > at || at === 0) out += text.slice(at, start) + REDACTED
    at = Math.max(at, end)
  }
  return out + text.slice(at)
}

/** A pattern for each character. */
function formsOf({ chars, others }: Piece): string[] {
  return chars.map((char) => {
    // The longest form is first: a percent sign also begins its own encoded form.
    const forms = [
      Array.from(Buffer.from(char), (byte) => `%(?:25)*${hex(byte, 2)}`).join(''),
      Array.from({ length: char.length }, (_, i) => `\\\\+u${hex(char.charCodeAt(i), 4)}`).join(''),
      /\w/.test(char) ? char : `\\\\*\\${char}`,
    ]
    const other = others[char]
    if (other !== undefined) forms.push(other)
    return `(?:${forms.join('|')})`
  })
}

function hex(code: number, digits: number): string {
  return code
    .toString(16)
    .padStart(digits, '0')
    .replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
}
