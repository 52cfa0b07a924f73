/** What a mapping file says stands before the fraction of a column's numbers. */
export const DECIMALS = ['.', ','] as const

export type Decimal = (typeof DECIMALS)[number]

/** Where a mapping file says the minus of a column's numbers is: `-5`, `5-`, `(5)`. */
export const MINUSES = ['before', 'after', 'parentheses'] as const

export type Minus = (typeof MINUSES)[number]

export interface AmountForm {
  readonly decimal: Decimal
  /** `before` when not given. */
  readonly minus?: Minus | undefined
  /** The currency that each has; any, or none, when not given. */
  readonly currency?: string | undefined
}

/** A number as people write it, taken apart. The text is `before + digits + after`. */
export interface Amount {
  readonly before: string
  readonly after: string
  readonly isNegative: boolean
  readonly currency: string
  /** Digits before the fraction, without signs between thousands; empty where it begins with the fraction. */
  readonly whole: string
  /** The sign between thousands; empty where there is none. */
  readonly group: string
  /** Undefined where there is no fraction. */
  readonly fraction: string | undefined
}

const PARTS = /^(\D*?)([.,]?\d(?:.*\d)?)(\D*)$/su
/** What can be around the digits: a minus or a bracket outside and inside of the currency. */
const BEFORE = /^([-(]?)\s?([^\d\s()-]*)\s?([-(]?)$/u
const AFTER = /^([-)]?)\s?([^\d\s()-]*)([-)]?)$/u
/** No number begins with a zero that it doesn't need: such digits are a code. Oracle and SQL Server write .5 for 0.5. */
const WHOLE: Readonly<Record<Decimal, RegExp>> = {
  '.': /^(0|[1-9]\d*|[1-9]\d{0,2}(?:([,'’\u00a0\u202f ])\d{3})(?:\2\d{3})*|(?=\.))(?:\.(\d+))?$/,
  ',': /^(0|[1-9]\d*|[1-9]\d{0,2}(?:([.'’\u00a0\u202f ])\d{3})(?:\2\d{3})*|(?=,))(?:,(\d+))?$/,
}
/** The signs around the digits of a negative number; those of others are none. */
const MINUS_SIGNS: Readonly<Record<Minus, readonly [before: string, after: string]>> = {
  before: ['-', ''],
  after: ['', '-'],
  parentheses: ['(', ')'],
}

/** Takes a text apart that is a number of the form; undefined for any other text, as `INV-1001`, `007` or `12A`. */
export function amountOf(
  text: string,
  { decimal, minus = 'before', currency }: AmountForm,
): Amount | undefined {
  const [, before = '', digits = '', after = ''] = PARTS.exec(text) ?? []
  const number = WHOLE[decimal].exec(digits)
  const [front, back] = [BEFORE.exec(before), AFTER.exec(after)]
  if (!number || !front || !back) return undefined
  const [, outerFront = '', firstSign = '', innerFront = ''] = front
  const [, innerBack = '', lastSign = '', outerBack = ''] = back
  const own = firstSign + lastSign
  if (firstSign !== '' && lastSign !== '') return undefined
  if (own !== '' && !isCurrency(own)) return undefined
  if (currency !== undefined && own !== currency) return undefined
  // A hyphen between letters and digits is one of a code.
  if (innerFront === '-' && isLetters(firstSign)) return undefined
  const signs = [outerFront + innerFront, innerBack + outerBack]
  const isNegative = signs.join('') !== ''
  if (isNegative && signs.join(' ') !== MINUS_SIGNS[minus].join(' ')) return undefined
  const [, integer = '', group = '', fraction] = number
  // A point behind letters is theirs: kr.500.
  if (integer === '' && /\p{L}/u.test(firstSign)) return undefined
  return { before, after, isNegative, currency: own, whole: integer.replaceAll(/\D/g, ''), group, fraction }
}

/**
 * The JSON number of an amount as people write it, `$1,234.50` or `1.234,50 €`: without its currency and the signs between
 * thousands, with all its digits. Undefined for other text; digits are never grouped in other ways than by three.
 */
export function decimalNumber(text: string, form: AmountForm): string | undefined {
  const amount = amountOf(text.trim(), form)
  if (!amount) return undefined
  const { isNegative, whole, fraction } = amount
  return `${isNegative ? '-' : ''}${whole || '0'}${fraction === undefined ? '' : `.${fraction}`}`
}

/** The codes of ISO 4217 that money is written with; funds, metals and codes for tests are left out. */
const CODES = `
AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP CNY
COP CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR
ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP
MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG
SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VES VND VUV WST
XAF XCD XCG XOF XPF YER ZAR ZMW ZWG ZWL`
  .trim()
  .split(/\s+/)

/** Signs of several characters; each single one of Unicode's currency signs is one too. */
const SIGNS = 'US$ A$ AU$ C$ CA$ HK$ MX$ NT$ NZ$ R$ S$ kr zł Kč Ft'.split(' ')

const KNOWN: ReadonlySet<string> = new Set([...CODES, ...SIGNS])

/** True for a code of ISO 4217, as `EUR`, or a sign, as `€` and `US$`; in these capitals only. */
export function isCurrency(text: string): boolean {
  return KNOWN.has(text) || /^\p{Sc}$/u.test(text)
}

/** True for letters alone: `EUR`, which an order number may begin with as well. */
export function isLetters(currency: string): boolean {
  return /^\p{L}+$/u.test(currency)
}
