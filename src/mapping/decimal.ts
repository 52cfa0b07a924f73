/** What a mapping file says stands before the fraction of a column's numbers. */
export const DECIMALS = ['.', ','] as const

export type Decimal = (typeof DECIMALS)[number]

/** A sign, a currency, and blanks around the digits. */
const AMOUNT =
  /^([-+]?)\s*(?:\p{Sc}|[A-Z]{2,3}\$?|[A-Z]?\p{Sc})?\s*([-+]?)\s*(\d[\d.,'’\u00a0\u202f ]*?)\s*(?:\p{Sc}|[A-Z]{3})?$/u

const WHOLE: Readonly<Record<Decimal, RegExp>> = {
  '.': /^(?:\d+|\d{1,3}(?:([,'’\u00a0\u202f ])\d{3})(?:\1\d{3})*)(?:\.(\d+))?$/,
  ',': /^(?:\d+|\d{1,3}(?:([.'’\u00a0\u202f ])\d{3})(?:\1\d{3})*)(?:,(\d+))?$/,
}

/**
 * The JSON number of an amount as people write it, `$1,234.50` or `1.234,50 €`: without its currency and the signs between
 * thousands, with all its digits. Undefined for other text; digits are never grouped in other ways than by three.
 */
export function decimalNumber(text: string, decimal: Decimal): string | undefined {
  const [, before = '', after = '', digits = ''] = AMOUNT.exec(text.trim()) ?? []
  const match = WHOLE[decimal].exec(digits)
  if (!match || (before !== '' && after !== '')) return undefined
  const fraction = match[2]
  const whole = digits
    .slice(0, fraction === undefined ? digits.length : -fraction.length - 1)
    .replaceAll(/\D/g, '')
    .replace(/^0+(?=\d)/, '')
  const sign = `${before}${after}` === '-' ? '-' : ''
  return `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}`
}
