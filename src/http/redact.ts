import { REDACTED, type Secret, SHORTEST_SECRET } from './secret.ts'

/** A text as it is read, and of each character where it begins and ends in the source. */
interface View {
  readonly text: string
  readonly from: readonly number[]
  readonly to: readonly number[]
}

/** Signs that begin an escape. A text without them is as it is read. */
const SIGN = /[\\%&]/

/**
 * The escapes of JSON, JavaScript, URLs and HTML, each escaped again as often as it likes: `\\\\u0041`, `\x41`, `%2541`,
 * `&amp;#65;`. Backslashes are left out altogether: what they are in front of stays. Anything else is a character.
 */
const PIECES = new RegExp(
  [
    String.raw`\\+(?:u([\da-f]{4})|x([\da-f]{2}))`,
    String.raw`%(?:25)*([0-7][\da-f])`,
    String.raw`((?:%(?:25)*[89a-f][\da-f])+)`,
    String.raw`&(?:amp;)*(?:#(\d{1,7});?|#x([\da-f]{1,6});?|(amp|lt|gt|quot|apos|lowbar);)`,
    String.raw`\\+`,
    String.raw`([\s\S])`,
  ].join('|'),
  'gi',
)
/** An escape that the end of the text cuts: none is longer than 64 characters. */
const CUT = /(?:\\+(?:u[\da-f]{0,3}|x[\da-f]?)?|%(?:25)*[\da-f]?|&(?:amp;)*(?:#x?[\da-f]*)?)$/i
const NAMED = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", lowbar: '_' }))
/** How often what was decoded is decoded again. */
const ROUNDS = 4

/** Decodes escapes, and those within them. One that is cut at the end is taken for the end of the character before it. */
function unescaped(source: string): View {
  const from = Array.from({ length: source.length }, (_, at) => at)
  let view: View = { text: source, from, to: from.map((at) => at + 1) }
  for (let round = 0; round < ROUNDS && SIGN.test(view.text); round++) view = decodedOnce(view)
  return view.text === '' ? view : { ...view, to: view.to.with(-1, source.length) }
}

function decodedOnce({ text, from, to }: View): View {
  const end = text.length - (CUT.exec(text.slice(-64))?.[0].length ?? 0)
  const read = { text: '', from: [] as number[], to: [] as number[] }
  // A character begins with the backslashes before it.
  let begun: number | undefined
  for (const match of text.slice(0, end).matchAll(PIECES)) {
    const chars = decoded(match)
    begun ??= from[match.index]!
    for (let unit = 0; unit < chars.length; unit++) {
      read.from.push(begun)
      read.to.push(to[match.index + match[0].length - 1]!)
    }
    if (chars !== '') begun = undefined
    read.text += chars
  }
  return read
}

function decoded([, unit, byte, percent, many, decimal, hex, name, char]: RegExpMatchArray): string {
  const code = unit ?? byte ?? percent
  if (char !== undefined) return char
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (many !== undefined) return Buffer.from(many.replaceAll(/%(?:25)*/g, ''), 'hex').toString('utf8')
  if (name !== undefined) return NAMED.get(name.toLowerCase())!
  const point = decimal === undefined ? Number.parseInt(hex ?? 'x', 16) : Number(decimal)
  return point <= 0x10_ff_ff ? String.fromCodePoint(point) : ''
}

/** Takes secrets out of texts and errors before they reach logs, files or terminals. */
export interface Redactor {
  text(value: string): string
  /** A copy of the error and its causes, with only name, message, stack and code. */
  error(error: unknown): Error
}

const MAX_CAUSES = 5
/** So many characters of a secret in a row are taken out, wherever in it they are; of a shorter one all. */
const LEAST_RUN = 12
/** At the end of a text so many of its first characters are enough: the text was cut within it. */
const LEAST_TAIL = 8
/** What base64 is written with. */
const DIGITS = /[\w+/-]{4,}={0,2}/g

/**
 * A redactor of these secrets. Any LEAST_RUN characters of one in a row are taken out, in every form in which answers repeat
 * them: in capitals, with characters escaped as in JSON, URLs or HTML, in hex, and within base64 text, wherever in it they begin.
 */
export function redactorOf(secrets: readonly Secret[]): Redactor {
  const values = new Set(secrets.map((secret) => secret.reveal()))
  const wanted = [...values].filter(({ length }) => length >= SHORTEST_SECRET).flatMap(wantedOf)

  const text = (value: string): string => {
    if (wanted.length === 0 || value === '') return value
    const view = unescaped(value)
    const spans = spansOf(view.text, wanted, true)
    for (const { 0: run, index } of view.text.matchAll(DIGITS)) {
      const end = index + run.length
      if (isCoded(run, wanted, end === view.text.length)) spans.push([index, end])
    }
    return without(
      value,
      spans.map(([start, end]): Span => [view.from[start]!, view.to[end - 1]!]),
    )
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

/** What is looked for, in small letters: any `least` characters in a row, or `leastTail` of its first ones at the end of a text. */
interface Wanted {
  readonly text: string
  readonly runs: ReadonlySet<string>
  readonly least: number
  readonly leastTail: number
}

/** A secret as texts are read, as its bytes are within base64, and in hex. */
function wantedOf(secret: string): Wanted[] {
  const bytes = Buffer.from(secret)
  const forms = new Set([unescaped(`${secret}\0`).text.slice(0, -1), bytes.toString('latin1'), secret])
  return [...[...forms].map((form) => wantedText(form, 1)), wantedText(bytes.toString('hex'), 2)]
}

function wantedText(form: string, digits: number): Wanted {
  const text = small(form)
  const least = Math.min(LEAST_RUN * digits, text.length)
  const runs = Array.from({ length: text.length - least + 1 }, (_, at) => text.slice(at, at + least))
  return { text, runs: new Set(runs), least, leastTail: LEAST_TAIL * digits }
}

/** Letters of ASCII made small, at the same indexes. */
function small(text: string): string {
  return text.replaceAll(/[A-Z]+/g, (word) => word.toLowerCase())
}

/** True if base64 digits hold a secret. Those before it shift the groups of three bytes: it begins anywhere in one. */
function isCoded(run: string, wanted: readonly Wanted[], isEnd: boolean): boolean {
  return ['', 'A', 'AA', 'AAA'].some((before) => {
    const bytes = Buffer.from(before + run.replaceAll('=', ''), 'base64').toString('latin1')
    return spansOf(bytes, wanted, isEnd).length > 0
  })
}

/** From an index of a text to the one after its end. */
type Span = readonly [start: number, end: number]

/** Where the text has enough of what is wanted. `isEnd`: it may be cut where it ends. */
function spansOf(text: string, wanted: readonly Wanted[], isEnd: boolean): Span[] {
  const lower = small(text)
  const { length } = lower
  return wanted.flatMap(({ text: secret, runs, least, leastTail }) => {
    const spans: Span[] = []
    for (let at = 0; at + least <= length; at++)
      if (runs.has(lower.slice(at, at + least))) spans.push([at, at + least])
    for (let tail = least - 1; isEnd && tail >= leastTail; tail--)
      if (lower.endsWith(secret.slice(0, tail))) spans.push([length - tail, length])
    return spans
  })
}

/** The text with one mark for each group of spans that touch. */
function without(text: string, spans: readonly Span[]): string {
  let out = ''
  let at = 0
  for (const [start, end] of [...spans].sort(([a], [b]) => a - b)) {
    if (start > at || at === 0) out += text.slice(at, start) + REDACTED
    at = Math.max(at, end)
  }
  return out + text.slice(at)
}
