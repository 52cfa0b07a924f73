import { abbreviatedOffset, HALF_OF_DAY, monthNamed } from '../../record/time-format.ts'

/** Words around times, as programs write them: of a cell for Excel, of a shell of Mongo, of JavaScript. */
const WRAPPED = /^((?:=|[A-Za-z][\w. ]{0,30}\(? ?)?["']|')(.+?)(["']?\)?)$/
const DOTNET = /^(\\?\/?(?:new )?Date\()-?\d{10,14}([+-]\d{4})?(\)\\?\/?)$/
const EXPONENTS: Readonly<Record<number, string>> = {
  9: 'epoch_s',
  12: 'epoch_ms',
  15: 'epoch_us',
  18: 'epoch_ns',
}

const WORD = String.raw`[\p{L}\p{M}]{2,14}`
const WEEKDAY = new RegExp(String.raw`^(${WORD})(\.?,? )(?=\d|\p{L})`, 'u')
const COMPACT = /^(\d{4})(\d\d)(\d\d)(?!\d)/
const COMPACT_ALL = /^(?:19|20)\d{6}(?:\d{4}(?:\d\d(?:\d{3})?)?)?$/
const COMPACT_CLOCK = /^\d{4}(?:\d\d)?(?!\d)/
const NUMBERS = /^(\d{1,4})(\. ?|[/:-])(\d{1,2})\2(\d{4}|\d\d?)\.?(?!\d)/
const ASIAN = /^(\d{4})([年년]) ?(\d\d?)([月월]) ?(\d\d?)([日일])/
const WEEK = /^\d{4}(-?)W\d\d(?:\1[1-7])?$/
const DAY_OF_YEAR = /^\d{4}-\d{3}$/
const DAY_FIRST = new RegExp(
  String.raw`^\d{1,2}(st|nd|rd|th|er|º|°)?(\.?)([ /-]|)((?:de )?)(${WORD})(\.?)((?:,? (?:de )?)|[/-]|)(\d{4}|\d\d)(?!\d)`,
  'u',
)
const MONTH_FIRST = new RegExp(
  String.raw`^(${WORD})(\.?)([ -])(\d{1,2})(st|nd|rd|th)?(,? |-)(\d{4})(?!\d)`,
  'u',
)
const YEAR_FIRST = new RegExp(String.raw`^\d{4}([ /-])(${WORD})\.?\1\d{1,2}(?!\d)`, 'u')
/** The year comes last: `Fri Mar  1 10:00:00 2024`, or before an offset, as git has it. */
const YEAR_LAST = new RegExp(
  String.raw`^(${WORD})\.? +(\d{1,2}) +(?=\d{1,2}:)(.+) (\d{4})( [+-]\d{4})?$`,
  'u',
)
/** America begins with none. */
const HALF_BEHIND = new RegExp(String.raw`^(?:${HALF_OF_DAY})(?!\p{L})`, 'u')

/** Words before a time of day. Any other word may say which half of the day it is: em in Swedish, ÖS in Turkish. */
const AT = 'at|um|à|às|a|las|alle|ore|kl|klo|o|om|den|v|в|saat|godz|lúc|pukul'
const GAP = new RegExp(String.raw`^(?:T|t(?=\d)|:|_|\s*-\s*(?=\d)|,?\s*(?:(?:${AT})\.?\s+){0,2}|\s+)`, 'iu')
const CLOCK = new RegExp(
  String.raw`^(?:(${HALF_OF_DAY})\s?)?(\d{1,2})(:|\.|-|\s?h\s?|[时時시点] ?)(\d{1,2})?(?:(\3|m|[分분] ?)(\d{1,2})(?:([.,:])(\d+))?)?`,
)
const TAILS: ReadonlyArray<
  readonly [pattern: RegExp, format: (text: string, before: string) => string | undefined]
> = [
  [HALF_BEHIND, () => 'A'],
  [
    /^(?:(?:UTC|GMT)?[+-](?:\d\d(?::?\d\d)?|\d(?::\d\d)?)|UTC|GMT|[Zz])(?![\p{L}\d/])/u,
    (_, before) => (/Z/.test(before) ? 'z' : 'Z'),
  ],
  [/^\[[\w/+-]+\]$/, () => '[z]'],
  [/^\([^\d()]+\)$/, () => '(z)'],
  [/^[A-Za-z_]+(?:\/[\w+-]+)+$/, () => 'z'],
  [/^[A-Z]{2,5}$/, (text) => (abbreviatedOffset(text) === undefined ? undefined : 'z')],
  [/^(?:Uhr|uhr|hrs?|Hrs?|uur|h|hs|s|[秒초分분])\.?$/, quoted],
]

/**
 * The formats that a text could be of, as `compileTimeFormat` reads them, the likeliest first: of 3/4/2024 that of the
 * United States, of 3.4.2024 and 3-4-2024 that of Europe. None for what is no time, or of a form that none of them reads.
 */
export function formatsOf(given: string): string[] {
  const text = given.trim()
  if (!/\d/.test(text) || text.length > 100) return []
  const whole = wholeForm(text)
  if (whole !== undefined) return [whole]
  const wrapped = WRAPPED.exec(text)
  if (wrapped) {
    const [, before = '', inner = '', after = ''] = wrapped
    return formatsOf(inner).map((format) => `${quoted(before)}${format}${quoted(after)}`)
  }
  const last = YEAR_LAST.exec(text)
  if (last && isMonth(last[1])) return ended(['MMM D'], ` ${last[3]}`, ` YYYY${last[5] ? ' Z' : ''}`)
  const [dayForms, rest] = dayOf(text)
  if (dayForms.length > 0) return ended(dayForms, rest, '')
  const named = WEEKDAY.exec(text)
  if (!named || isMonth(named[1])) return []
  return formatsOf(text.slice(named[0].length)).map((format) => `ddd${named[2]}${format}`)
}

/** The form of texts whose parts aren't looked at one by one. */
function wholeForm(text: string): string | undefined {
  if (COMPACT_ALL.test(text)) return 'YYYYMMDDHHmmssSSS'.slice(0, text.length)
  const week = WEEK.exec(text)
  if (week) return `GGGG${week[1]}'W'WW${/W\d\d-?\d$/.test(text) ? `${week[1]}E` : ''}`
  if (DAY_OF_YEAR.test(text)) return 'YYYY-DDDD'
  const exponent = /^\d\.(\d+)[eE]\+?(\d\d?)$/.exec(text)
  if (exponent) return exponent[1]!.length >= Number(exponent[2]) ? EXPONENTS[Number(exponent[2])] : undefined
  const dotnet = DOTNET.exec(text)
  if (dotnet) return `${quoted(dotnet[1]!)}epoch_ms${dotnet[2] ? 'Z' : ''}${quoted(dotnet[3]!)}`
  return /^@\d{9,10}$/.test(text) ? '@epoch_s' : undefined
}

/** The forms of the day that a text begins with, and what comes after it. */
function dayOf(text: string): [forms: string[], rest: string] {
  const found = (match: RegExpExecArray, ...forms: string[]): [string[], string] => [
    forms,
    text.slice(match[0].length),
  ]
  const compact = COMPACT.exec(text)
  if (compact) return found(compact, 'YYYYMMDD')
  const asian = ASIAN.exec(text)
  if (asian)
    return found(
      asian,
      text.slice(0, asian[0].length).replace(/^\d+/, 'YYYY').replace(/\d+/, 'M').replace(/\d+/, 'D'),
    )
  const numbers = NUMBERS.exec(text)
  if (numbers) {
    const [all, first = '', between = '', second = '', third = ''] = numbers
    const dot = all.endsWith('.') ? '.' : ''
    return found(numbers, ...ordersOf([first, second, third], between).map((form) => form + dot))
  }
  const dayFirst = DAY_FIRST.exec(text)
  if (dayFirst && isMonth(dayFirst[5])) {
    const [, ordinal, dot = '', gap = '', of = '', , , next = '', year = ''] = dayFirst
    const day = ordinal === undefined ? 'D' : 'Do'
    const form = `${day}${dot}${gap}${words(of)}MMM${words(next)}${'Y'.repeat(year.length)}`
    return found(dayFirst, form, ...(/^\d\d\D/.test(text) ? otherOrders(form) : []))
  }
  const monthFirst = MONTH_FIRST.exec(text)
  if (monthFirst && isMonth(monthFirst[1])) {
    const [, , , gap, , ordinal, next = ''] = monthFirst
    return found(monthFirst, `MMM${gap}${ordinal ? 'Do' : 'D'}${next}YYYY`)
  }
  const yearFirst = YEAR_FIRST.exec(text)
  if (yearFirst && isMonth(yearFirst[2])) return found(yearFirst, `YYYY${yearFirst[1]}MMM${yearFirst[1]}D`)
  return [[], text]
}

function isMonth(word: string | undefined): boolean {
  return word !== undefined && monthNamed(word) !== undefined
}

function ordersOf([first, second, third]: readonly [string, string, string], between: string): string[] {
  const joined = (...parts: string[]) => parts.join(between)
  if (first.length === 4) {
    const isBare = second.length === 1 || third.length === 1
    return third.length <= 2 ? [isBare ? joined('YYYY', 'M', 'D') : joined('YYYY', 'MM', 'DD')] : []
  }
  if (first.length > 2 || third.length === 1 || between === ':') return []
  const year = 'Y'.repeat(third.length)
  const [us, other] = [joined('MM', 'DD', year), joined('DD', 'MM', year)]
  const yearFirst = year === 'YY' && first.length + second.length === 4 ? [joined('YY', 'MM', 'DD')] : []
  return [...(between === '/' ? [us, other] : [other, us]), ...yearFirst]
}

/** The forms of days with that of the rest of the text; none where the rest is no time of day. */
function ended(days: readonly string[], rest: string, end: string): string[] {
  const clock = rest === '' ? '' : clockForm(rest)
  return clock === undefined ? [] : days.map((day) => day + clock + end)
}

function clockForm(text: string): string | undefined {
  const gap = GAP.exec(text)?.[0] ?? ''
  const before = gap === 't' ? 'T' : words(gap)
  const rest = text.slice(gap.length)
  const compact = /^[T ]?$/i.test(gap) ? COMPACT_CLOCK.exec(rest) : null
  if (compact) return tailForm(rest.slice(compact[0].length), before + 'HHmmss'.slice(0, compact[0].length))
  const match = CLOCK.exec(rest)
  if (!match) return undefined
  const [all, half, , between = '', minute, next = '', second, point, fraction = ''] = match
  const end = rest.slice(all.length)
  // A part of one digit makes the form that reads both.
  const isBare = minute?.length === 1 || second?.length === 1
  const hour = half || twelve(end) ? 'hh' : isBare ? 'H' : 'HH'
  const parts = [
    half === undefined ? '' : /\s\d/.test(all) ? 'A ' : 'A',
    `${hour}${words(between)}`,
    minute === undefined ? '' : isBare ? 'm' : 'mm',
    second === undefined ? '' : `${words(next)}${isBare ? 's' : 'ss'}`,
    point === undefined ? '' : `${point}${fraction.length > 3 ? 'SSSSSS' : 'SSS'}`,
  ]
  return tailForm(end, before + parts.join(''))
}

function twelve(rest: string): boolean {
  return HALF_BEHIND.test(rest.trimStart())
}

/** What stands behind a time of day: its half, its offset, the name of its zone. */
function tailForm(text: string, before: string): string | undefined {
  let [rest, form] = [text, before]
  while (rest !== '') {
    const gap = /^\s*/.exec(rest)![0]
    const tail = rest.slice(gap.length)
    const found = TAILS.flatMap(([pattern, format]) => {
      const match = pattern.exec(tail)
      const said = match ? format(match[0], form) : undefined
      return match && said !== undefined ? [{ said, length: match[0].length }] : []
    })[0]
    if (!found) return undefined
    form += `${gap === '' ? '' : ' '}${found.said}`
    rest = tail.slice(found.length)
  }
  return form
}

/** Text with its letters in quotes. */
function words(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{L}\p{M}]+/gu, (word) => (/^[Tt]$/.test(word) ? 'T' : quoted(word)))
}

function quoted(text: string): string {
  if (text === '') return ''
  if (text === "'") return "''"
  return /[A-Za-zÀ-ÿ]/.test(text) ? `'${text.replaceAll("'", "''")}'` : text.replaceAll("'", "''")
}

const ORDER = /(?<![A-Z])(YY|MM|DD)(\. ?|[/-])(?:MM|DD)\2(?:Y+|DD)/

/** The year comes first or last where a month's name is in the middle. */
const NAMED_ORDER = /^(D|YY)([ /-])MMM\2(D|YY)(?!Y)/

/** The format with day, month and a year of two digits in other orders; none for one that says which is which. */
export function otherOrders(format: string): string[] {
  if (NAMED_ORDER.test(format)) return [format.replace(NAMED_ORDER, '$3$2MMM$2$1')]
  const [own, , between] = ORDER.exec(format) ?? []
  if (own === undefined) return []
  const year = own.replaceAll(/[^Y]/g, '')
  return ordersOf(['MM', 'DD', year], between!).flatMap((order) =>
    order === own ? [] : format.replace(ORDER, order),
  )
}

/** False for two formats, of which not the same comes first: in one list they would read each time by chance. */
export function sameOrder(one: string, other: string): boolean {
  const [first, second] = [one, other].map((format) => (ORDER.exec(format) ?? NAMED_ORDER.exec(format))?.[1])
  return first === undefined || second === undefined || first === second
}
