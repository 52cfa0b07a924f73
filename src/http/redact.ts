import { REDACTED, type Secret, SHORTEST_SECRET } from './secret.ts'

/** A text with its escapes decoded, and where in the source each of its characters came from. */
interface Unescaped {
  readonly text: string
  /** Index in the source of the first character that stands for this one. */
  from(at: number): number
  /** The same after the last one. */
  to(at: number): number
}

/** Signs that begin an escape. A text without them is as it is read. */
const SIGN = /[\\%&]/

/**
 * The escapes of JSON, JavaScript, URLs and HTML, each escaped again as often as it likes: `\\\\u0041`, `\x41`, `%2541`,
 * `&amp;#65;`. Backslashes are left out altogether: what they are in front of stays, once or twice quoted.
 */
const ESCAPES = new RegExp(
  [
    String.raw`\\+(?:u([\da-f]{4})|x([\da-f]{2}))`,
    String.raw`%(?:25)*([0-7][\da-f])`,
    String.raw`((?:%(?:25)*[89a-f][\da-f])+)`,
    String.raw`&(?:amp;)*(?:#(\d{1,7});?|#x([\da-f]{1,6});?|(amp|lt|gt|quot|apos|lowbar);)`,
    String.raw`\\+`,
  ].join('|'),
  'gi',
)

/** An escape that the end of the text cuts. */
const CUT = /(?:\\+(?:u[\da-f]{0,3}|x[\da-f]?)?|%(?:25)*[\da-f]?|&(?:amp;)*(?:#x?[\da-f]*)?)$/i
/** No escape that is cut is longer. */
const LONGEST_CUT = 64

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  lowbar: '_',
}

/** How often what was decoded is decoded again. */
const ROUNDS = 4

/** Decodes escapes, and those within them. One that is cut at the end is taken for the end of the character before it. */
function unescaped(source: string): Unescaped {
  let read: Unescaped = { text: source, from: (at) => at, to: (at) => at + 1 }
  for (let round = 0; round < ROUNDS && SIGN.test(read.text); round++) {
    const [outer, inner] = [read, decodedOnce(read.text)]
    read = {
      text: inner.text,
      from: (at) => outer.from(inner.from(at)),
      to: (at) => outer.to(inner.to(at) - 1),
    }
  }
  return read
}

function decodedOnce(source: string): Unescaped {
  const pieces: string[] = []
  const starts: number[] = []
  const ends: number[] = []
  const end = source.length - (CUT.exec(source.slice(-LONGEST_CUT))?.[0].length ?? 0)
  let at = 0
  // A character begins with the backslashes before it.
  let begun: number | undefined
  const literal = (until: number) => {
    pieces.push(source.slice(at, until))
    for (; at < until; at++) {
      starts.push(begun ?? at)
      ends.push(at + 1)
      begun = undefined
    }
  }
  for (const match of source.matchAll(ESCAPES)) {
    if (match.index + match[0].length > end) break
    literal(match.index)
    const chars = decoded(match)
    pieces.push(chars)
    begun ??= at
    at += match[0].length
    for (let unit = 0; unit < chars.length; unit++) {
      starts.push(begun)
      ends.push(at)
    }
    if (chars !== '') begun = undefined
  }
  literal(end)
  const last = starts.length - 1
  return {
    text: pieces.join(''),
    from: (index) => starts[index]!,
    to: (index) => (index === last ? source.length : ends[index]!),
  }
}

function decoded([, unit, byte, percent, many, decimal, hex, name]: RegExpMatchArray): string {
  const code = unit ?? byte ?? percent
  if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16))
  if (many !== undefined) return Buffer.from(many.replaceAll(/%(?:25)*/g, ''), 'hex').toString('utf8')
  if (name !== undefined) return NAMED[name.toLowerCase()]!
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
/** Characters of a secret that are looked for at once. */
const PROBE = 6
/** Texts within base64 within base64 are looked into. */
const DEPTH = 2
/** Base64 digits that can hold LEAST_TAIL bytes. */
const DIGITS = /[\w+/-]{11,}/
const RUNS = /[\w+/-]{11,}={0,2}/g
const LAST_DIGIT = /[\w+/-]$/

/**
 * A redactor of these secrets. Any LEAST_RUN characters of one in a row are taken out, in every form in which answers repeat
 * them: in capitals, with characters escaped as in JSON, URLs or HTML, in hex, and within base64 text, also twice, wherever in it they begin.
 */
export function redactorOf(secrets: readonly Secret[]): Redactor {
  const values = [...new Set(secrets.map((secret) => secret.reveal()))].filter(
    (value) => value.length >= SHORTEST_SECRET,
  )
  const wanted = values.flatMap(wantedOf)
  const shortest = Math.min(LEAST_TAIL, ...wanted.map(({ least }) => least))
  const isShort = shortest < LEAST_TAIL
  const [digits, runs] = isShort ? [/[\w+/-]{4,}/, /[\w+/-]{4,}={0,2}/g] : [DIGITS, RUNS]

  /**
   * True if a text holds a secret when it is decoded. What is no digit is passed over, so that the whole of a text can be asked.
   * `isEnd`: it may be cut where it ends.
   */
  const isCoded = (text: string, isEnd: boolean, depth = DEPTH): boolean => {
    if (depth === 0 || !digits.test(text)) return false
    // A decoder would stop at the first sign of an end.
    const all = text.replaceAll('=', ' ')
    // The digits before it shift the groups of three bytes: a secret begins anywhere in one.
    return ['', 'A', 'AA', 'AAA'].some((before) => {
      const bytes = Buffer.from(before + all, 'base64').toString('latin1')
      return spansOf(bytes, wanted, isEnd).length > 0 || isCoded(bytes, isEnd, depth - 1)
    })
  }

  const text = (value: string): string => {
    // Most of an answer's dozen headers are shorter than any secret, so they need no search.
    if (value.length < shortest || wanted.length === 0) return value
    const view = unescaped(value)
    const spans = spansOf(view.text, wanted, true)
    const { length } = view.text
    if (isCoded(view.text, LAST_DIGIT.test(view.text))) {
      for (const { 0: run, index } of view.text.matchAll(runs))
        if (isCoded(run, index + run.length === length)) spans.push([index, index + run.length])
    }
    return without(
      value,
      spans.map(([start, end]): Span => [view.from(start), view.to(end - 1)]),
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

/** What is looked for, in small letters, and how many of its characters in a row are too many. */
interface Wanted {
  readonly text: string
  readonly least: number
  readonly leastTail: number
}

/** A secret as texts are read, as its bytes are within base64, and in hex. */
function wantedOf(secret: string): Wanted[] {
  const bytes = Buffer.from(secret).toString('latin1')
  const forms = new Set([unescaped(`${secret}\0`).text.slice(0, -1), bytes, secret].map(small))
  const plain = [...forms].map((text) => {
    return { text, least: Math.min(LEAST_RUN, text.length), leastTail: LEAST_TAIL }
  })
  const hex = Buffer.from(secret).toString('hex')
  return [...plain, { text: hex, least: Math.min(2 * LEAST_RUN, hex.length), leastTail: 2 * LEAST_TAIL }]
}

/** Letters of ASCII made small, at the same indexes. */
function small(text: string): string {
  const lower = text.toLowerCase()
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]+/g, (word) => word.toLowerCase())
}

/** From an index of a text to the one after its end. */
type Span = readonly [start: number, end: number]

/** Where the text has enough of what is wanted. Every such run has one of the probes whole: they are looked for first. */
function spansOf(text: string, wanted: readonly Wanted[], isEnd: boolean): Span[] {
  const lower = small(text)
  const spans: Span[] = []
  for (const { text: secret, least, leastTail } of wanted) {
    const length = Math.min(PROBE, least)
    for (let probe = 0; probe + length <= secret.length; probe += least - length + 1) {
      const looked = secret.slice(probe, probe + length)
      for (let at = lower.indexOf(looked); at !== -1; ) {
        let [start, end] = [at, at + length]
        while (start > 0 && at - start < probe && lower[start - 1] === secret[probe - (at - start) - 1])
          start--
        while (
          end < lower.length &&
          probe + end - at < secret.length &&
          lower[end] === secret[probe + end - at]
        )
          end++
        const isCut = isEnd && end === lower.length && at - start === probe && end - start >= leastTail
        const isEnough = isCut || end - start >= least
        if (isEnough) spans.push([start, end])
        at = lower.indexOf(looked, isEnough ? Math.max(at + 1, end - length + 1) : at + 1)
      }
    }
  }
  return spans
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
