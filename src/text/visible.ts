// Control characters, characters that reorder or hide text (bidi marks, zero width, tags), line separators and unpaired
// surrogates. Zero-width joiners are left alone: emoji and several scripts need them.
const INVISIBLE = /(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu

/** Text with its control characters made visible, so that a terminal does not obey them. */
export function visible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) => {
    const code = character.codePointAt(0)!
    // Unicode has a picture of each C0 control: a line feed shows as ␊.
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    return code === 0x7f ? '\u2421' : `\\u{${code.toString(16)}}`
  })
}

/**
 * JSON text with the same characters as escapes: a terminal obeys none of them, and the JSON is equal. Within JSON, tabs and
 * line ends are only between the values.
 */
export function plainJson(json: string): string {
  return json.replaceAll(INVISIBLE, (character) => {
    if (character === '\n') return character
    if (character === '\r' || character === '\t') return ' '
    const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at))
    return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')
  })
}

// East Asian wide and fullwidth letters; emoji are found by their property.
const WIDE =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1b000}-\u{1b2ff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}|\p{Emoji}\ufe0f)/u
const PLAIN = /^[\x20-\x7e]*$/

let segmenter: Intl.Segmenter | undefined

/** Splits text into what a reader sees as letters. The segmenter is made on first use: loading it takes 15 ms. */
function letters(text: string): Iterable<Intl.SegmentData> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  return segmenter.segment(text)
}

/** The columns that a text takes on a terminal. */
export function width(text: string): number {
  if (PLAIN.test(text)) return text.length
  let total = 0
  for (const { segment } of letters(text)) total += WIDE.test(segment) ? 2 : 1
  return total
}

/** Text cut to `columns`, with an ellipsis if something was cut. */
export function cutTo(text: string, columns: number): string {
  if (width(text) <= columns) return text
  let out = ''
  let used = 0
  for (const { segment } of letters(text)) {
    const more = WIDE.test(segment) ? 2 : 1
    if (used + more > columns - 1) break
    out += segment
    used += more
  }
  return `${out}…`
}

/** Text cut, or filled up with blanks, to exactly `columns`. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutTo(text, columns)
  const blanks = ' '.repeat(Math.max(0, columns - width(cut)))
  return side === 'left' ? cut + blanks : blanks + cut
}
