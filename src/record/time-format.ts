import { MICROS_PER_SECOND, SECONDS_PER_DAY } from '../text/units.ts'
import { daysFromCivil, isNumericTime, parseTime } from './time.ts'
import { zoneOffsetMicros } from './zone.ts'

/** Months from January, in the languages that exports use, as they stand in a date; `|` is between spellings. */
const LANGUAGES = [
  'january february march april may june july august september october november december',
  'januar|jänner februar|feber märz|mrz april mai juni juli august september oktober november dezember',
  'janvier février mars avril mai juin juillet août septembre octobre novembre décembre',
  'enero febrero marzo abril mayo junio julio agosto septiembre|setiembre octubre noviembre diciembre',
  'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  'janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro',
  'januari februari maart|mrt april mei juni juli augustus september oktober november december',
  'januari februari mars april maj juni juli augusti september oktober november december',
  'januar februar marts|mars april maj|mai juni juli august september oktober november december|desember',
  'styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień',
  'stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia',
  'leden únor březen duben květen červen červenec srpen září říjen listopad prosinec',
  'ledna února března dubna května června července srpna září října listopadu prosince',
  'ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık',
  'января февраля марта апреля мая|май июня июля августа сентября октября ноября декабря',
].map((names) =>
  names.split(' ').flatMap((name, month) => name.split('|').map((one) => [plain(one), month + 1] as const)),
)

/** Abbreviations that stand for one offset everywhere, in hours. CST, CDT, BST, IST and AST name clocks of several places. */
const ABBREVIATIONS = new Map(
  `Z=0 UTC=0 UCT=0 GMT=0 WET=0 WEST=1 CET=1 MEZ=1 CEST=2 MESZ=2 EET=2 EEST=3 MSK=3 SAST=2 SGT=8 HKT=8 JST=9 KST=9
  AWST=8 ACST=9.5 ACDT=10.5 AEST=10 AEDT=11 NZST=12 NZDT=13 EST=-5 EDT=-4 MST=-7 MDT=-6 PST=-8 PDT=-7 AKST=-9
  AKDT=-8 HST=-10`
    .split(/\s+/)
    .map((one) => one.split('='))
    .map(([name, hours]) => [name!, Number(hours) * 60]),
)

/** The halves of a day, as parts of a regular expression. */
const MORNING = String.raw`[Aa]\.?\s?[Mm]\.?|上午|午前|오전`
const NOON = String.raw`[Pp]\.?\s?[Mm]\.?|下午|午後|오후`
export const HALF_OF_DAY = `${MORNING}|${NOON}`

function plain(name: string): string {
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}|\.$/gu, '')
    .toLowerCase()
    .replaceAll('ı', 'i')
}

/** Months of Polish and Czech, which in Croatian are October, June and July. */
const SEVERAL: ReadonlySet<string> = new Set(['lis', 'lip', 'srp'])

/** True for the name of a month that is another month in another language. */
export function isSeveralMonths(name: string): boolean {
  return SEVERAL.has(plain(name))
}

const months = new Map<string, number>()

/** The month, from 1, that a name or the beginning of one stands for; undefined for several months and for none. */
export function monthNamed(name: string): number | undefined {
  const wanted = plain(name)
  if (wanted.length < 3 || SEVERAL.has(wanted)) return undefined
  let month = months.get(wanted)
  if (month === undefined) {
    const names = LANGUAGES.flat()
    const exact = names.filter(([one]) => one === wanted)
    const meant = new Set(
      (exact.length > 0 ? exact : names.filter(([one]) => one.startsWith(wanted))).map(([, at]) => at),
    )
    const [only] = meant
    month = meant.size === 1 ? only! : 0
    // Names come from the data: only those that are months are kept.
    if (month > 0) months.set(wanted, month)
  }
  return month === 0 ? undefined : month
}

/** Minutes east of UTC of a zone's abbreviation; undefined for one that several places use, or nobody. */
export function abbreviatedOffset(name: string): number | undefined {
  return ABBREVIATIONS.get(name.toUpperCase())
}

/** Reads a text of one form to microseconds since the epoch; undefined for any other text. `zone`: of times without an offset. */
type TimeForm = (text: string, zone: string | undefined) => number | undefined

/** Bare numbers, by the power of ten that makes microseconds of them. */
const EPOCHS: Readonly<Record<string, number>> = { epoch_s: 6, epoch_ms: 3, epoch_us: 0, epoch_ns: -3 }

const WORD = String.raw`[\p{L}\p{M}]{2,14}\.?`
const OFFSET = String.raw`[+-](?:\d\d(?::?\d\d)?|\d(?::\d\d)?)`
const ZONE = String.raw`[A-Za-z_]+(?:/[\w+-]+)+|[A-Za-z]{1,5}`
/** What programs write beside an offset: `CET`, `+03`, `Coordinated Universal Time`, `Europe/Paris`. */
const ZONE_BESIDE_OFFSET = String.raw`${OFFSET}|\p{L}[^\d()[\]/]{0,60}(?:/[\w+-]+)*`

/** What each token of a format stands for, the longest first. */
const TOKENS: ReadonlyArray<readonly [token: string, part: string, pattern: string]> = [
  ...Object.keys(EPOCHS).map((name) => [name, name, String.raw`[-+.\dEe]{1,40}`] as const),
  ['YYYY', 'year', String.raw`\d{4}`],
  ['YY', 'shortYear', String.raw`\d\d`],
  ['GGGG', 'weekYear', String.raw`\d{4}`],
  ['WW', 'week', String.raw`\d\d`],
  ['E', 'weekday', '[1-7]'],
  ['MMMM', 'monthName', WORD],
  ['MMM', 'monthName', WORD],
  ['MM', 'month', String.raw`\d\d?`],
  ['M', 'month', String.raw`\d\d?`],
  ['dddd', '', WORD],
  ['ddd', '', WORD],
  ['DDDD', 'dayOfYear', String.raw`\d{3}`],
  ['Do', 'day', String.raw`\d\d?(?:st|nd|rd|th|er|[.º°])?`],
  ['DD', 'day', String.raw`\d\d?`],
  ['D', 'day', String.raw`\d\d?`],
  ['HH', 'hour', String.raw`\d\d?`],
  ['H', 'hour', String.raw`\d\d?`],
  ['hh', 'hour', String.raw`\d\d?`],
  ['h', 'hour', String.raw`\d\d?`],
  ['mm', 'minute', String.raw`\d\d`],
  ['m', 'minute', String.raw`\d\d?`],
  ['ss', 'second', String.raw`\d\d`],
  ['s', 'second', String.raw`\d\d?`],
  ['SSSSSSSSS', 'fraction', String.raw`\d+`],
  ['SSSSSS', 'fraction', String.raw`\d+`],
  ['SSS', 'fraction', String.raw`\d+`],
  ['S', 'fraction', String.raw`\d+`],
  ['A', 'half', HALF_OF_DAY],
  ['Z', 'offset', `(?:UTC|GMT)?${OFFSET}|UTC|GMT|[Zz]`],
  ['z', 'zone', ZONE],
]

/** The beginning of a format that reads digits. */
const DIGITS_NEXT = /^(?!MMM|ddd)[YGWEMDHhmsS]/
const QUOTED = /^'((?:[^']|'')*)'/

interface Piece {
  readonly part: string
  readonly pattern: string
}

/** The tokens, words in quotes and other characters of a format. RangeError for a letter that stands for nothing. */
function piecesOf(format: string): Piece[] {
  const pieces: Piece[] = []
  const hasOffset = format.replaceAll(/'[^']*'/g, '').includes('Z')
  let wasDigits = false
  for (let rest = format; rest !== ''; ) {
    const quoted = QUOTED.exec(rest)
    const known = quoted ? undefined : TOKENS.find(([token]) => rest.startsWith(token))
    const isDigits = known !== undefined && DIGITS_NEXT.test(rest)
    if (known) {
      const [token, part, pattern] = known
      rest = rest.slice(token.length)
      pieces.push({
        part,
        pattern: patternOf(token, pattern, {
          hasOffset,
          isTight: isDigits && (wasDigits || DIGITS_NEXT.test(rest)),
        }),
      })
    } else if (quoted) {
      const [all, words = ''] = quoted
      rest = rest.slice(all.length)
      pieces.push({ part: '', pattern: literal(words === '' ? "'" : words.replaceAll("''", "'")) })
    } else {
      const letter = rest[0]!
      if (/[a-z]/i.test(letter) && letter !== 'T')
        throw new RangeError(`${letter} stands for nothing in a time format; words stand in quotes: 'Uhr'`)
      rest = rest.slice(1)
      pieces.push({ part: '', pattern: letter === 'T' ? '[Tt]' : literal(letter) })
    }
    wasDigits = isDigits
  }
  return pieces
}

/** Digits beside others are as many as their token has letters: 2024111 is no YYYYMMDD. */
function patternOf(token: string, pattern: string, at: { hasOffset: boolean; isTight: boolean }): string {
  if (token === 'z' && at.hasOffset) return ZONE_BESIDE_OFFSET
  return at.isTight && pattern === String.raw`\d\d?` ? String.raw`\d{${token.length}}` : pattern
}

function literal(text: string): string {
  return text
    .normalize()
    .replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
    .replaceAll(/\s+/g, String.raw`\s+`)
}

/**
 * Compiles a form of time, such as `MM/DD/YYYY hh:mm A`, `DD.MM.YYYY HH:mm 'Uhr'`, `epoch_ns` or `excel`. A day alone is its first
 * moment. RangeError for a format that names no year, month and day, or has a letter that stands for nothing.
 */
export function compileTimeFormat(format: string): TimeForm {
  if (isExcelFormat(format)) return excelForm(format)
  const pieces = piecesOf(format)
  const parts = pieces.flatMap(({ part }) => (part === '' ? [] : [part]))
  const twice = parts.find((part, index) => parts.indexOf(part) !== index)
  if (twice !== undefined) throw new RangeError(`the format has the ${twice} twice`)
  if (!saysDay(new Set(parts))) {
    throw new RangeError(
      'a time format has a year, a month and a day, such as DD.MM.YYYY HH:mm, or is epoch_ms',
    )
  }
  const pattern = pieces.map(({ part, pattern: one }) => (part === '' ? `(?:${one})` : `(${one})`)).join('')
  const form = new RegExp(`^${pattern}$`, 'u')
  return (text, zone) => {
    const match = form.exec(text.trim().normalize())
    return match ? instantOf(new Map(parts.map((part, index) => [part, match[index + 1]!])), zone) : undefined
  }
}

function saysDay(parts: ReadonlySet<string>): boolean {
  if (Object.keys(EPOCHS).some((name) => parts.has(name))) return true
  if (parts.has('weekYear')) return parts.has('week')
  const hasYear = parts.has('year') || parts.has('shortYear')
  return (
    hasYear &&
    (parts.has('dayOfYear') || (parts.has('day') && (parts.has('month') || parts.has('monthName'))))
  )
}

function instantOf(parts: ReadonlyMap<string, string>, zone: string | undefined): number | undefined {
  for (const [name, power] of Object.entries(EPOCHS)) {
    const text = parts.get(name)
    if (text !== undefined) return epochMicros(text, power)
  }
  const number = (part: string) => Number(parts.get(part) ?? 0)
  const days = daysOf(parts)
  const hour = hourOf(number('hour'), parts.get('half'))
  const [minute, second] = [number('minute'), number('second')]
  if (Number.isNaN(days) || hour === undefined || minute > 59 || second > 59) return undefined
  const fraction = Number((parts.get('fraction') ?? '0').slice(0, 6).padEnd(6, '0'))
  const seconds = days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second
  const wall = seconds * MICROS_PER_SECOND + fraction
  const [offset, named] = [parts.get('offset'), parts.get('zone')]
  if (offset !== undefined) return wall - offsetMicros(offset)
  const there = named === undefined ? zone : zoneCalled(named)
  if (typeof there === 'number') return wall - there
  if (named !== undefined && there === undefined) return undefined
  return there === undefined ? wall : wallIn(wall, there)
}

function wallIn(wall: number, zone: string): number | undefined {
  try {
    return wall - zoneOffsetMicros(wall, zone)
  } catch {
    return undefined
  }
}

/** An offset in microseconds, or the name of a zone; undefined for what names clocks of several places. */
function zoneCalled(name: string): number | string | undefined {
  if (name.includes('/')) return name
  const minutes = abbreviatedOffset(name)
  return minutes === undefined ? undefined : minutes * 60 * MICROS_PER_SECOND
}

/** Days since 1970-01-01; NaN for no day. */
function daysOf(parts: ReadonlyMap<string, string>): number {
  const number = (part: string) => Number.parseInt(parts.get(part) ?? '1', 10)
  if (parts.has('weekYear')) {
    // The first week of a year has its 4 January; 1970-01-01 was a Thursday.
    const [first, next] = [0, 1].map((more) => {
      const fourth = daysFromCivil(number('weekYear') + more, 1, 4)
      return fourth - ((((fourth + 3) % 7) + 7) % 7)
    })
    const monday = first! + (number('week') - 1) * 7
    return number('week') < 1 || monday >= next! ? Number.NaN : monday + number('weekday') - 1
  }
  const year = yearOf(parts)
  if (!parts.has('dayOfYear')) return daysFromCivil(year, monthOf(parts), number('day'))
  const days = daysFromCivil(year, 1, 1) + number('dayOfYear') - 1
  return number('dayOfYear') < 1 || days >= daysFromCivil(year + 1, 1, 1) ? Number.NaN : days
}

function yearOf(parts: ReadonlyMap<string, string>): number {
  const short = parts.get('shortYear')
  if (short === undefined) return Number(parts.get('year'))
  return Number(short) + (Number(short) < 70 ? 2000 : 1900)
}

function monthOf(parts: ReadonlyMap<string, string>): number {
  const name = parts.get('monthName')
  return name === undefined ? Number(parts.get('month')) : (monthNamed(name) ?? 0)
}

const IS_NOON = new RegExp(`^(?:${NOON})$`)

function hourOf(hour: number, half: string | undefined): number | undefined {
  if (half === undefined) return hour > 23 ? undefined : hour
  if (hour < 1 || hour > 12) return undefined
  return (hour % 12) + (IS_NOON.test(half) ? 12 : 0)
}

function offsetMicros(offset: string): number {
  const [, sign, hours, minutes = '0'] = /([+-])(\d\d?):?(\d\d)?$/.exec(offset) ?? []
  if (sign === undefined) return 0
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60 * MICROS_PER_SECOND
}

/** Digits below the microsecond are cut. With an exponent, all digits of the number have to be there: 1.7E+12 is rounded. */
function epochMicros(text: string, power: number): number | undefined {
  const [, sign, front, behind = '', exponent = '0'] =
    /^(-?)(\d{1,20})(?:\.(\d+))?(?:[eE]\+?(\d\d?))?$/.exec(text.trim()) ?? []
  const shift = Number(exponent)
  if (front === undefined || shift > behind.length) return undefined
  const [whole, fraction] = [front + behind.slice(0, shift), behind.slice(shift)]
  const digits = power < 0 ? whole.slice(0, power) : whole + fraction.slice(0, power).padEnd(power, '0')
  return (sign === '-' ? -1 : 1) * Number(digits || 0)
}

const WRITTEN = /'((?:[^']|'')*)'|epoch_(?:s|ms|us|ns)|([A-Za-z])\2*/g

/**
 * Writes instants (microseconds since the epoch) in UTC by a format of numbers: `YYYY-MM-DD HH:mm:ss`, `YYYYMMDD`, `epoch_ms`. RangeError for
 * one that `compileTimeFormat` refuses, and for names of months and other words.
 */
export function timeWriter(format: string): (micros: number) => string {
  compileTimeFormat(format)
  const write = (micros: number) =>
    format.replaceAll(WRITTEN, (token, quoted?: string) => {
      if (quoted !== undefined) return quoted === '' ? "'" : quoted.replaceAll("''", "'")
      const word = wordOf(token, micros)
      if (word !== undefined) return word
      throw new RangeError(
        `${token} can be read and not be written: write times in numbers, such as YYYY-MM-DD HH:mm:ss`,
      )
    })
  write(0)
  return write
}

function wordOf(token: string, micros: number): string | undefined {
  const power = EPOCHS[token]
  if (power !== undefined) return power < 0 ? `${micros}000` : String(Math.floor(micros / 10 ** power))
  const [year, month, day, hour, minute, second, fraction] = new Date(micros / 1000)
    .toISOString()
    .split(/[-T:.Z]/) as string[]
  const words: Readonly<Record<string, string | undefined>> = {
    ...{ YYYY: year, YY: year!.slice(2), MM: month, DD: day, HH: hour, mm: minute, ss: second },
    ...{ M: bare(month!), D: bare(day!), H: bare(hour!), m: bare(minute!), s: bare(second!) },
    ...{ SSS: fraction, SSSSSS: `${fraction}000`, Z: 'Z', T: 'T' },
  }
  return words[token]
}

function bare(digits: string): string {
  return String(Number(digits))
}

/** Days from the first one of Excel's calendars to 1970-01-01, by the name of the format. */
const EXCEL_EPOCHS: Readonly<Record<string, number>> = { excel: 25_569, 'excel-1904': 24_107 }
/** In the calendar of 1900, day 60 is 29 February 1900, which never was; days before it count from one day later. */
const NO_DAY = 60
/** The last day of year 9999. */
const LAST: Readonly<Record<string, number>> = { excel: 2_958_465, 'excel-1904': 2_957_003 }

/** True for days as Excel counts them: from 1900 (`excel`), as on Windows, or from 1904 (`excel-1904`). */
function isExcelFormat(format: string): boolean {
  return Object.hasOwn(EXCEL_EPOCHS, format)
}

/**
 * Reads numbers of days, whose fraction is the time of day, as wall time of the zone: 45650.75 is 2024-12-24 18:00:00. A
 * fraction has as many digits as the file gives it, so it is the whole second that lies within its last digit; a
 * time further from any second is rounded to the millisecond, the finest that Excel knows. A comma before it is that of many
 * countries; after fewer than five digits it could be one of thousands.
 */
function excelForm(format: string): (text: string, zone: string | undefined) => number | undefined {
  const [epoch, last] = [EXCEL_EPOCHS[format]!, LAST[format]!]
  return (text, zone) => {
    const [, digits, fraction = ''] = /^(0|[1-9]\d{0,6})(?:(?:\.|(?<=\d{5}),)(\d+))?$/.exec(text.trim()) ?? []
    if (digits === undefined) return undefined
    const day = Number(digits)
    const is1900 = format === 'excel'
    if (day > last || (is1900 && (day < 1 || day === NO_DAY))) return undefined
    const days = day - epoch + (is1900 && day < NO_DAY ? 1 : 0)
    const wall = days * SECONDS_PER_DAY * MICROS_PER_SECOND + timeOfDay(fraction)
    return zone === undefined ? wall : wall - zoneOffsetMicros(wall, zone)
  }
}

/** Microseconds since midnight. */
function timeOfDay(fraction: string): number {
  const seconds = Number(`0.${fraction || 0}`) * SECONDS_PER_DAY
  const second = Math.round(seconds)
  const lastDigit = SECONDS_PER_DAY / 10 ** fraction.length
  const exact = Math.abs(seconds - second) <= lastDigit ? second : Math.round(seconds * 1000) / 1000
  return Math.round(exact * MICROS_PER_SECOND)
}

/** Reads a source's time to microseconds since the epoch. RangeError for text that is none. */
export type TimeReader = (text: string) => number

/** A reader of times: of the forms that a mapping file names, in their order, and of those that `parseTime` knows. */
export function timeReader(formats: readonly string[], zone: string | undefined): TimeReader {
  if (formats.length === 0) return (text) => parseTime(text.trim(), zone)
  const isExcel = formats.some(isExcelFormat)
  const forms = formats.map(compileTimeFormat)
  return (text) => {
    for (const form of forms) {
      const instant = form(text, zone)
      if (instant !== undefined) return instant
    }
    // Among days as Excel counts them, 0.5 or 60 is no number of seconds.
    if (isExcel && isNumericTime(text.trim())) throw new RangeError(`not a day as Excel counts them: ${text}`)
    return parseTime(text.trim(), zone)
  }
}
