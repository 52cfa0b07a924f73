/** The offset at the end of a text with a time of day. */
const OFFSET = /:\d\d.*?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?)$/i
const BELOW_MICROS = /[.,]\d{6}\d*[1-9]/
const ISO = /^\d{4}-\d\d-\d\d/

/**
 * What times would lose as moments in UTC to the microsecond; undefined when one form gives back the text of each. All
 * are of one format and unit.
 */
export function timeLoss(texts: readonly string[]): string | undefined {
  if (texts.some((text) => BELOW_MICROS.test(text) || (/^\d{19}$/.test(text) && !text.endsWith('000'))))
    return 'times with digits below the microsecond'
  if (texts.some((text) => /^\d{13}\.\d{3}\d*[1-9]/.test(text)))
    return 'times with digits below the microsecond'
  if (new Set(texts.map((text) => OFFSET.exec(text)?.[1] ?? '')).size > 1) return 'times with several offsets'
  const fractions = texts.flatMap((text) => /:\d\d[.,](\d+)/.exec(text)?.[1] ?? [])
  const isShortest = fractions.every((fraction) => !fraction.endsWith('0'))
  const isOneLength =
    fractions.length === texts.length && new Set(fractions.map((fraction) => fraction.length)).size === 1
  if (fractions.length > 0 && !isShortest && !isOneLength) return 'times with fractions of several lengths'
  const shapes = texts.filter((text) => ISO.test(text)).map(shapeOf)
  return new Set(shapes).size > 1 || isPaddedAtTimes(texts) ? 'times in several forms' : undefined
}

/** What is around the digits; a fraction apart, which other rules look at. */
function shapeOf(text: string): string {
  return text.replace(/(:\d\d)[.,]\d+/, '$1').replaceAll(/\d/g, '0')
}

/** True when the same part is `3` in one text, and `03` in another. */
function isPaddedAtTimes(texts: readonly string[]): boolean {
  const [padded, bare] = [new Set<number>(), new Set<number>()]
  for (const text of texts) {
    for (const [i, part] of text.split(/\D+/).entries()) {
      if (/^0\d$/.test(part)) padded.add(i)
      else if (/^\d$/.test(part)) bare.add(i)
    }
  }
  return [...padded].some((i) => bare.has(i))
}

const CLOCK =
  /^(\d{1,2}):(\d\d)(:\d\d)?([.,]\d+)?(\s*[AaPp]\.?[Mm]\.?)?(\s*(?:Z|UTC|GMT|[+-]\d\d(?::?\d\d)?))?$/
const NUMBERS = /^(\d{1,4})([./-])(\d{1,2})\2(\d{2,4})(?:(,?[ T]\s*)(.+))?$/
const NAMED = [
  [/^(\d{1,2})([ -/])[A-Za-z]{3,9}\.?\2(\d{4})(?:(:|,?[ T]\s*)(.+))?$/, (s: string) => `D${s}MMM${s}YYYY`],
  [/^[A-Za-z]{3,9}\.? (\d{1,2})(,? )(\d{4})(?:(,?[ T]\s*)(.+))?$/, (s: string) => `MMM D${s}YYYY`],
] as const

/**
 * The formats that a text could be of, as `compileTimeFormat` reads them, the likeliest first: of 3/4/2024 that of the
 * United States, of 3.4.2024 and 3-4-2024 that of Europe. None for ISO times and for what is no time.
 */
export function formatsOf(text: string): string[] {
  const named = /^[A-Za-z]{3,9}, (?=\d)/.exec(text)
  if (named) return formatsOf(text.slice(named[0].length)).map((format) => `ddd, ${format}`)
  if (/^(?:19|20)\d{6}$/.test(text)) return ['YYYYMMDD']
  for (const [pattern, formatOf] of NAMED) {
    const match = pattern.exec(text)
    if (match) return withClock([formatOf(match[2]!)], match[4], match[5])
  }
  const match = NUMBERS.exec(text)
  if (!match) return []
  const [, first = '', between = '', , third = '', gap, clock] = match
  return withClock(ordersOf(first.length, between, third.length), gap, clock)
}

function ordersOf(first: number, between: string, third: number): string[] {
  const joined = (...parts: string[]) => parts.join(between)
  if (first === 4) return third <= 2 ? [joined('YYYY', 'MM', 'DD')] : []
  if (first > 2 || third === 3) return []
  const year = third === 4 ? 'YYYY' : 'YY'
  const [us, other] = [joined('MM', 'DD', year), joined('DD', 'MM', year)]
  return between === '/' ? [us, other] : [other, us]
}

function withClock(days: readonly string[], gap: string | undefined, clock: string | undefined): string[] {
  if (clock === undefined) return [...days]
  const match = CLOCK.exec(clock)
  if (!match) return []
  const [, , , seconds, fraction, half, offset] = match
  const parts = [
    gap === undefined ? '' : gap.replace(/\s+/g, ' '),
    `${half ? 'hh' : 'HH'}:mm`,
    seconds ? ':ss' : '',
    fraction ? `${fraction[0]}SSS` : '',
    half ? `${/^\s/.test(half) ? ' ' : ''}A` : '',
    offset ? `${/^\s/.test(offset) ? ' ' : ''}Z` : '',
  ]
  return days.map((day) => day + parts.join(''))
}

/** The format with day and month the other way round; undefined for one that says which is which. */
export function otherOrder(format: string): string | undefined {
  const match = /^(MM|DD)([./-])(MM|DD)(?=[./-])/.exec(format)
  return match ? `${match[3]}${match[2]}${match[1]}${format.slice(match[0].length)}` : undefined
}
