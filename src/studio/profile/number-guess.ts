import {
  type Amount,
  type AmountForm,
  amountOf,
  DECIMALS,
  decimalNumber,
  isLetters,
  MINUSES,
} from '../../mapping/decimal.ts'

/** How the numbers of a column are written; or why its cells stay text, and what is asked about them. */
type NumberGuess =
  | {
      readonly form: AmountForm
      /** True for numbers as JSON writes them. */
      readonly isPlain: boolean
      /** True for numbers without a fraction or a minus, as codes are. */
      readonly isDigits: boolean
      readonly fits: (text: string) => boolean
    }
  | { readonly why: string; readonly ask?: string }

const PLAIN = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
const EXPONENT = /^-?\d+(?:\.\d+)?[eE][+-]?\d+$/
const PLUS = /^\s*\+\s*\(?\d/
const LEADING_ZERO = /^\D*0\d/
const LETTER_AFTER = /\d\s?\p{L}/u
/** Why numbers stay text where no value tells the decimal sign. */
export const UNKNOWN_SIGN = 'numbers of an unknown sign'
/** A double holds each number of so many digits. */
const EXACT_DIGITS = 15
const FORMS: readonly AmountForm[] = DECIMALS.flatMap((decimal) =>
  MINUSES.map((minus) => ({ decimal, minus })),
)

/**
 * Tells how the numbers of a column are written: by one rule, by which each number gives back the text of its cell.
 * Undefined for columns of other things. `isMost` tells whether all cells pass a test but a few, which may stay text.
 */
export function guessNumbers(
  texts: readonly string[],
  isMost: (test: (text: string) => boolean) => boolean,
): NumberGuess | undefined {
  if (texts.some((text) => PLUS.test(text))) return { why: 'a leading plus' }
  const exponent = texts.find((text) => EXPONENT.test(text))
  if (exponent !== undefined && isMost((text) => EXPONENT.test(text) || isNumber(text)))
    return {
      why: 'with an exponent',
      ask: `${JSON.stringify(exponent)} can be a number with an exponent, or a code: are they numbers? { type: number } makes them`,
    }
  if (texts.every((text) => /^\d+$/.test(text)) && !texts.every(isNumber)) return { why: 'leading zeros' }
  if (!isMost(isNumber)) return undefined
  const odd = texts.filter((text) => !isNumber(text))
  if (odd.some((text) => LEADING_ZERO.test(text))) return { why: 'leading zeros' }
  if (odd.some((text) => LETTER_AFTER.test(text))) return { why: 'letters after the digits' }
  return guessForm(texts)
}

function isNumber(text: string): boolean {
  return FORMS.some((form) => amountOf(text, form) !== undefined)
}

function guessForm(texts: readonly string[]): NumberGuess {
  const fitting = FORMS.map((form) => ({ form, count: texts.filter((text) => amountOf(text, form)).length }))
  const all = texts.filter(isNumber).length
  const [best, ...others] = fitting.filter(({ count }) => count === all)
  const several = 'numbers in several forms'
  if (!best) return { why: several, ask: severalWords(texts) }
  const { form } = best
  const other = others.find((one) => one.form.decimal !== form.decimal)?.form
  const open = other && texts.find((text) => decimalNumber(text, form) !== decimalNumber(text, other))
  if (other && open !== undefined) {
    const readings = [form, other].map((one) => `${decimalNumber(open, one)} (decimal: '${one.decimal}')`)
    return {
      why: UNKNOWN_SIGN,
      ask: `${JSON.stringify(open)} is ${readings.join(' or ')}: no value tells which. ${says(form)} makes numbers of them`,
    }
  }
  const amounts = texts.flatMap((text) => amountOf(text, form) ?? [])
  const currencies = [...new Set(amounts.map(({ currency }) => currency))].filter((one) => one !== '')
  if (currencies.length > 1) return { why: `amounts in ${currencies.slice(0, 3).join(', ')}` }
  const [currency] = currencies
  const whole: AmountForm = { ...form, ...(currency !== undefined && { currency }) }
  if (currency !== undefined && isPrefix(currency, texts, amounts))
    return {
      why: `begins with ${currency}`,
      ask: `each begins with ${currency}, and no two are the same: are they amounts, and no codes? ${says(whole)} makes numbers of them`,
    }
  const rule = ruleOf(amounts, form)
  const bent = texts.find((text) => {
    const json = decimalNumber(text, form)
    return json !== undefined && print(Number(json), rule) !== text
  })
  if (bent !== undefined) {
    const digits = bent.replaceAll(/\D/g, '').length
    if (digits > EXACT_DIGITS)
      return { why: /^-?\d+$/.test(bent) ? 'over 2^53' : 'more digits than PostHog keeps' }
    return {
      why: several,
      ask: `as a number ${JSON.stringify(bent)} is ${Number(decimalNumber(bent, form))}, from which the form of the other cells doesn't give it back: are they numbers? ${says(whole)} makes them`,
    }
  }
  const isBlankGrouped = /\s/.test(rule.group) && amounts.every(({ fraction }) => fraction === undefined)
  if (isBlankGrouped && currency === undefined)
    return {
      why: 'digits with blanks between',
      ask: `the digits have blanks between: are they numbers, and no codes or phones? ${says(whole)} makes them`,
    }
  const isPlain = texts.every((text) => PLAIN.test(text) || !amountOf(text, form))
  return {
    form: whole,
    isPlain,
    isDigits: amounts.every(({ fraction, isNegative }) => fraction === undefined && !isNegative),
    fits: (text) => (isPlain ? PLAIN.test(text) : amountOf(text, whole) !== undefined),
  }
}

/** True for an order number such as `TOP 12`, which a currency's code begins by chance. */
function isPrefix(currency: string, texts: readonly string[], amounts: readonly Amount[]): boolean {
  const isFirst = amounts.every(({ before }) => before.includes(currency))
  return isLetters(currency) && isFirst && texts.length > 1 && new Set(texts).size === texts.length
}

function severalWords(texts: readonly string[]): string {
  const examples = FORMS.flatMap((form) => {
    const odd = texts.find((text) => isNumber(text) && !amountOf(text, form))
    return odd === undefined ? [] : [JSON.stringify(odd)]
  })
  const shown = [...new Set(examples)].slice(0, 2).join(' and ')
  return `${shown} are not written in one form: are they numbers? Write them alike in the export`
}

/** What a mapping file says of a column of numbers in a form. */
export function says({ decimal, minus = 'before', currency }: AmountForm): string {
  const parts = [
    `decimal: '${decimal}'`,
    ...(minus === 'before' ? [] : [`minus: ${minus}`]),
    ...(currency === undefined ? [] : [`currency: ${currency}`]),
  ]
  return `{ type: number, ${parts.join(', ')} }`
}

/** What stands around and between the digits of a column's numbers. */
function ruleOf(amounts: readonly Amount[], { decimal }: AmountForm) {
  /** Before and after the digits of negative numbers (true), and of the others. */
  const around = new Map<boolean, readonly [before: string, after: string]>()
  for (const { isNegative, before, after } of amounts)
    if (!around.has(isNegative)) around.set(isNegative, [before, after])
  const fractions = amounts.flatMap(({ fraction }) => fraction ?? [])
  return {
    decimal,
    around,
    /** Between thousands; empty for none. */
    group: amounts.find(({ whole }) => whole.length > 3)?.group ?? '',
    /** The least of each fraction: Python writes 62.0 beside 5.25. */
    digits: fractions.reduce((least, { length }) => Math.min(least, length), fractions[0]?.length ?? 0),
    /** True when numbers below one begin with the fraction. */
    isBare: amounts.some(({ whole }) => whole === ''),
    /** True when whole numbers have no fraction beside others that have one. */
    isWholeBare: fractions.length < amounts.length,
  }
}

/** Writes a number by the rule of its column. */
function print(
  value: number,
  { decimal, around, group, digits, isBare, isWholeBare }: ReturnType<typeof ruleOf>,
): string | undefined {
  const [before, after] = around.get(value < 0) ?? []
  const [whole = '', shortest = ''] = String(Math.abs(value)).split('.')
  const fraction = shortest === '' && isWholeBare ? '' : shortest.padEnd(digits, '0')
  const own = isBare && whole === '0' && shortest !== '' ? '' : whole
  const grouped = group === '' ? own : own.replaceAll(/(?<=\d)(?=(?:\d{3})+$)/g, () => group)
  return before === undefined
    ? undefined
    : `${before}${grouped}${fraction === '' ? '' : `${decimal}${fraction}`}${after}`
}
