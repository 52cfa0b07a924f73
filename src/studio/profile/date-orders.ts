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
