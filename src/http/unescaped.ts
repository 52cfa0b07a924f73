/** A text with its escapes decoded, and where in the source each of its characters came from. */
export interface Unescaped {
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
export function unescaped(source: string): Unescaped {
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
