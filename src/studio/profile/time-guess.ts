import { isNumericTime, timeOrNone } from '../../record/time.ts'
import { compileTimeFormat, monthNamed } from '../../record/time-format.ts'
import { MICROS_PER_DAY } from '../../text/units.ts'
import { number } from '../../text/words.ts'
import { formatsOf, otherOrders, sameOrder } from './time-forms.ts'

/** What times look like. */
export type TimeGuess = NonNullable<ReturnType<typeof guessTime>>

const EARLIEST = Date.UTC(1990, 0, 1) * 1000
const FIRST = Date.UTC(1900, 0, 1) * 1000
/** Numbers that count from 2001 say so of all days until 2036. */
const OLD = Date.UTC(2005, 0, 1) * 1000
const LAST = Date.UTC(2100, 0, 1) * 1000
const MOST_LOOKED_AT = 500
const MOST_FORMATS = 3
/** Least shares of the texts that must be times. */
const MOST_OF = 0.9
const HALF = 0.5

/** An offset comes after a time of day: the end of `2024-03-01` is none. */
const OFFSET = /(?:Z|UTC|GMT|:\d\d.*[+-]\d\d(?::?\d\d)?)(?:\[.*\])?$/i

const EXCEL = compileTimeFormat('excel')

interface Form {
  /** Undefined for what is read without a format. */
  readonly format: string | undefined
  readonly words: string
  readonly read: (text: string) => number | undefined
}

const ISO: Form = {
  format: undefined,
  words: 'ISO',
  read: (text) => (isNumericTime(text) ? undefined : timeOrNone(text)),
}
const NUMBERS: Form = {
  format: undefined,
  words: 'number',
  read: (text) => (isNumericTime(text) ? timeOrNone(text) : undefined),
}
const NANOS: Form = {
  format: 'epoch_ns',
  words: 'nanoseconds',
  read: (text) => (/^\d{19}$/.test(text) ? compileTimeFormat('epoch_ns')(text, undefined) : undefined),
}

/** Tells whether texts are times, and of which form. `now` in microseconds; numbers are times only where `isNamed` so. */
export function guessTime(texts: readonly string[], isNamed: boolean, now: number) {
  const looked = texts.slice(0, MOST_LOOKED_AT)
  if (looked.length === 0) return undefined
  const inRange =
    ({ read }: Form) =>
    (text: string) => {
      const instant = read(text)
      if (instant === undefined) return false
      return isNumericTime(text)
        ? instant > EARLIEST && instant < now + MICROS_PER_DAY
        : instant > FIRST && instant < LAST
    }
  /** For forms to be compared: a year of two digits is that of a day on which somebody kept events. */
  const isLikely = (form: Form) => {
    if (!/(?<!Y)YY(?!Y)/.test(form.format ?? '')) return inRange(form)
    return (text: string) => {
      const instant = form.read(text)
      return instant !== undefined && instant > OLD && instant < now + MICROS_PER_DAY
    }
  }
  if (isNamed && texts.every((text) => isExcelDay(text, now))) return excelGuess(texts.length)
  const formats = [...new Set(looked.flatMap(formatsOf))]
  const named = formats.filter((format) => isNamed || !/^(?:YYYYMMDD|YYYY-DDDD|GGGG|epoch|@)/.test(format))
  const forms = [ISO, ...(isNamed ? [NUMBERS, NANOS] : []), ...named.map(formatForm)]
  const chosen: Form[] = []
  let left = texts
  while (left.length > 0 && chosen.length <= MOST_FORMATS) {
    const best = mostOf(
      forms.filter((form) => chosen.every((one) => goTogether(one, form))),
      (form) => left.filter(inRange(form)).length + left.filter(isLikely(form)).length / (left.length + 1),
    )
    if (!best) break
    chosen.push(best)
    left = left.filter((text) => !inRange(best)(text))
  }
  const fits = texts.length - left.length
  const isNumbers = chosen.every(({ format, words }) => format === 'epoch_ns' || words === 'number')
  if (chosen.length === 0 || fits < texts.length * (isNumbers ? HALF : MOST_OF)) return undefined
  const numeric = chosen.includes(NUMBERS) ? texts.filter((text) => inRange(NUMBERS)(text)) : []
  const formatted = chosen.flatMap(({ format }) => format ?? [])
  const zoneless = texts.filter((text) => {
    const form = chosen.find((one) => inRange(one)(text))
    return form !== undefined && isZoneless(form, text)
  }).length
  const units = unitsOf(numeric)
  const isOne = chosen.length === 1 && units.length <= 1
  return {
    /** In words: `ISO`, `seconds`, `MM/DD/YYYY hh:mm A`. */
    words: chosen.map(({ words }) => (words === 'number' ? units.join(' and ') : words)).join(', '),
    /** What `time_format` has to say: none for what is read without it. */
    formats: formatted,
    /** What the times would lose as moments in UTC. */
    loss: isOne ? timeLoss(texts) : 'times in several forms',
    /** True for numbers that are days as Excel counts them, or no times at all. */
    isExcel: false,
    /** Texts that are such times. */
    fits,
    of: texts.length,
    /** Of these, how many have no offset and are no numbers of units. */
    zoneless,
    /** Numbers that are before 2005, when hardly anybody kept events: most likely they count from another day. */
    oldNumbers: numeric.filter((text) => NUMBERS.read(text)! < OLD).length,
    /** Why this order of day and month, and what it could be instead. */
    order: orderOf(chosen, texts, isLikely),
    /** A month that is another one in Croatian. */
    month: unsureMonth(texts),
  }
}

/** A name that is November in Polish and Czech, and October in Croatian, where no other month tells the language. */
function unsureMonth(texts: readonly string[]): string | undefined {
  const names = texts.flatMap((text) => text.match(/\p{L}{3,}/gu) ?? [])
  const isOther = names.some((name) => (monthNamed(name) ?? 11) !== 11)
  return isOther ? undefined : names.find((name) => /^list(?:o(?:p(?:a(?:da?)?)?)?)?$/i.test(name))
}

/** What is asked about such a month. */
export function monthQuestion({ month }: Pick<TimeGuess, 'month'>): string | undefined {
  if (month === undefined) return undefined
  return `${month} is November in Polish and Czech, as which it is read, and October in Croatian: which is it? Of Croatian, write months as numbers in the file`
}

/** False for forms of which one would read what is of the other as another moment. */
function goTogether(...forms: readonly [Form, Form]): boolean {
  const isNumber = ({ format, words }: Form) => words === 'number' || /^epoch/.test(format ?? '')
  const [one, other] = forms.map(({ format = '' }) => format)
  return sameOrder(one!, other!) && !forms.every(isNumber)
}

/** True for a number of days from 1900 that is a moment from 1990 until now. */
function isExcelDay(text: string, now: number): boolean {
  const instant = /^\d{5}(?:[.,]\d+)?$/.test(text) ? EXCEL(text, undefined) : undefined
  return instant !== undefined && instant > EARLIEST && instant < now + MICROS_PER_DAY
}

function excelGuess(count: number) {
  return {
    order: undefined,
    words: 'days as Excel counts them',
    formats: ['excel'],
    fits: count,
    of: count,
    zoneless: count,
    oldNumbers: 0,
    loss: undefined,
    month: undefined,
    isExcel: true,
  }
}

function formatForm(format: string): Form {
  const read = compileTimeFormat(format)
  return { format, words: format, read: (text) => read(text, undefined) }
}

function mostOf(forms: readonly Form[], count: (form: Form) => number): Form | undefined {
  let best: Form | undefined
  let most = 0
  for (const form of forms) {
    const found = count(form)
    // Of two orders that fit alike, the first is the more usual one.
    if (found > most) [best, most] = [form, found]
  }
  return best
}

/** True for a text that this form, which reads it, takes for a time of day without a zone. */
function isZoneless({ format, words }: Form, text: string): boolean {
  if (format === undefined) return words !== 'number' && !OFFSET.test(text)
  return !/[Zz]|epoch/.test(format.replaceAll(/'[^']*'/g, ''))
}

/** The units that numbers are of, by their size. */
function unitsOf(texts: readonly string[]): string[] {
  return [
    ...new Set(
      texts.map((text) => {
        const { length } = text.replace(/^-|\..*$/g, '')
        return length < 11 ? 'seconds' : length < 14 ? 'milliseconds' : 'microseconds'
      }),
    ),
  ]
}

function orderOf(
  chosen: readonly Form[],
  texts: readonly string[],
  isLikely: (form: Form) => (text: string) => boolean,
) {
  const form = chosen.find(({ format = '' }) => otherOrders(format).length > 0)
  if (form === undefined) return undefined
  const others = otherOrders(form.format!).map(formatForm)
  const count = (one: Form) => texts.filter(isLikely(one)).length
  const other = mostOf(others, count) ?? others[0]!
  const only = texts.filter((text) => isLikely(form)(text) && !others.some((one) => isLikely(one)(text)))
  const isSure = count(form) > count(other)
  const why = isSure
    ? `${number(only.length)} of ${number(texts.length)} can only be of this order`
    : `all ${number(texts.length)} could be of either order`
  return { other: other.format!, isSure, why }
}

/** The offset, or the abbreviation of one, behind a time of day; the name of the zone or a year may stand behind it. */
const OFFSET_WORD =
  /\d[:.h]\d\d.*?(Z|(?:UTC|GMT)?[+-]\d\d?(?::?\d\d)?|(?<![A-Za-z])[A-Z]{3,4}|[A-Z][a-z]+\/[\w/+-]+)(?: ?[[(].*[\])]| [A-Z]+| \d{4})?$/i
const BELOW_MICROS = /[.,]\d{6}\d*[1-9]/
const ISO_DAY = /^\d{4}-\d\d-\d\d/

/**
 * What times would lose as moments in UTC to the microsecond; undefined when one form gives back the text of each. All
 * are of one format and unit.
 */
function timeLoss(texts: readonly string[]): string | undefined {
  if (texts.some((text) => BELOW_MICROS.test(text) || (/^\d{19}$/.test(text) && !text.endsWith('000'))))
    return 'times with digits below the microsecond'
  if (texts.some((text) => /^\d{13}\.\d{3}\d*[1-9]/.test(text)))
    return 'times with digits below the microsecond'
  if (new Set(texts.map((text) => OFFSET_WORD.exec(text)?.[1] ?? '')).size > 1)
    return 'times with several offsets'
  const fractions = texts.flatMap((text) => /:\d\d[.,](\d+)/.exec(text)?.[1] ?? [])
  const isShortest = fractions.every((fraction) => !fraction.endsWith('0'))
  const isOneLength =
    fractions.length === texts.length && new Set(fractions.map((fraction) => fraction.length)).size === 1
  if (fractions.length > 0 && !isShortest && !isOneLength) return 'times with fractions of several lengths'
  const shapes = texts.filter((text) => ISO_DAY.test(text)).map(shapeOf)
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
