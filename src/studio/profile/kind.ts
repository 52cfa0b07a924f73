import type { AmountForm } from '../../mapping/decimal.ts'
import { isJson } from '../../record/json-values.ts'
import { isSeveralMonths } from '../../record/time-format.ts'
import { lastName, type Member, plain, withoutUnit } from './member.ts'
import { guessNumbers } from './number-guess.ts'
import { guessTime, type TimeGuess } from './time-guess.ts'

const LIKE_A_TIME = /^(?=.{10,80}$)(?=.*\d[:.h]\d\d)(?=.*(?<!\d)(?:19|20)\d\d(?!\d)).*$/
const PLACELESS = /\b(?:[ABCI]ST|CDT)\b/

/** What is asked about text that looks like times of a form that none is known for. */
function timeQuestion(texts: readonly string[]): string | undefined {
  if (!isMost(texts, (text) => LIKE_A_TIME.test(text))) return undefined
  const month = texts.flatMap((one) => one.match(/\p{L}+/gu) ?? []).find(isSeveralMonths)
  const text = texts.find((one) => month === undefined || one.includes(month)) ?? ''
  const [zone] = PLACELESS.exec(text) ?? []
  const how =
    month !== undefined
      ? `${month} is another month in Polish or Czech than in Croatian: write it as a number in the file`
      : zone === undefined
        ? 'time_format may say it'
        : `${zone} is the clock of several places: time_format with '${zone}' in quotes reads it, and source_timezone says which`
  return `${JSON.stringify(text)} looks like a time in an unknown form: ${how}`
}

/** What a member's values are taken for. */
export type ValueKind =
  | { readonly kind: Exclude<Simple, 'text'>; readonly odd: Odd }
  /** `ask`: what else the text could be, as a question. */
  | { readonly kind: 'text'; readonly odd: Odd; readonly ask?: string | undefined }
  | { readonly kind: 'time'; readonly time: TimeGuess; readonly odd: Odd }
  /** Numbers as people write them. */
  | { readonly kind: 'money'; readonly form: AmountForm; readonly odd: Odd }

type Simple =
  | 'empty'
  | 'number'
  | 'boolean'
  | 'JSON text'
  | 'object'
  | 'list'
  | 'URL'
  | 'user agent'
  | 'email'
  | 'IP address'
  | 'UUID'
  | 'text'

/** Values that are not of the kind: how many, and one of them. */
interface Odd {
  readonly count: number
  readonly example: string | undefined
  /** Why text is only text, if one may wonder. */
  readonly why?: string
}

const NONE: Odd = { count: 0, example: undefined }

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/
const TESTS: ReadonlyArray<readonly [Simple, (text: string) => boolean]> = [
  ['JSON text', (text) => /^[[{]/.test(text) && isJson(text)],
  ['URL', (text) => /^https?:\/\/\S+$/i.test(text)],
  [
    'user agent',
    (text) => /^(?:Mozilla|Opera|Dalvik|curl|okhttp)\/\d|\bAppleWebKit\/\d|\bCFNetwork\/\d/.test(text),
  ],
  ['email', (text) => /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)],
  ['IP address', (text) => /^\d{1,3}(?:\.\d{1,3}){3}$|^[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){3,7}$/i.test(text)],
  ['UUID', (text) => /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)],
]
const BOOLEANS = [/^(?:true|false)$/i, /^[tf]$/i]
/** What a column of the type boolean reads as one. */
const ANY_BOOLEAN = /^(?:true|false|[tf01])$/i
/** Least share of the values that are of a kind; the others are told. */
const MOST_OF = 0.95
/** Fewer values than these must all be of it. */
const FEW = 20

/** Names of times; numbers are times only under such a name. */
const TIME_NAME =
  /(?:time|date|timestamp|datetime|day|when|ts|at|created|updated|occurred|received|sent|logged|epoch|datum|zeit|fecha)$/
/** Digits of an id, a code or a phone number are no number to compute with. */
const ID_NAME =
  /(?:id|code|zip|postcode|plz|postal|phone|tel|number|nummer|no|nr|version|release|build|sku|ean|upc|gtin|isbn|iban)$/
const VERSION_NAME = /(?:version|release|build)$/
const PHONE_NAME = /(?:phone|mobile?|telefon|handy|fax|iban|postalcode)(?:number|nummer|no|nr)?\d?$/
/** Digits as phone numbers and codes have them; an amount has fewer, a fraction or a currency. */
const PHONE = /^\d[\d ()/-]{5,}$/
const BOOLEAN_NAME = /^(?:is|has|was|did|can)[_A-Z ]/

/** What a member is taken for. `isText` of cells, which are all text; `now` in microseconds. */
export function kindOf({ name, texts, values }: Member, isText: boolean, now: number): ValueKind {
  if (texts.length === 0) return { kind: 'empty', odd: NONE }
  const json = values.filter((value) => /^[[{]/.test(value))
  if (json.length > values.length / 2) {
    return {
      kind: json[0]!.startsWith('{') ? 'object' : 'list',
      odd: oddOf(values, (one) => /^[[{]/.test(one)),
    }
  }
  const last = lastName(name)
  const isTimeName = TIME_NAME.test(plain(withoutUnit(last)))
  const time = guessTime(texts, isTimeName, now)
  if (time) return { kind: 'time', time, odd: { count: time.of - time.fits, example: undefined } }
  for (const [kind, test] of TESTS) if (isMost(texts, test)) return { kind, odd: oddOf(texts, test) }
  return (
    booleanOf(last, texts) ??
    numberOf(last, texts, isText) ?? {
      kind: 'text',
      odd: NONE,
      ask: timeQuestion(texts),
    }
  )
}

/** Booleans by two words, or by one: with a third one, `TRUE` beside `true`, they would not give back their texts. */
function booleanOf(name: string, texts: readonly string[]): ValueKind | undefined {
  const isBit = BOOLEAN_NAME.test(name) && texts.every((text) => /^[01]$/.test(text))
  const test = BOOLEANS.find((pattern) => isMost(texts, (text) => pattern.test(text)))
  if (!test) return isBit ? { kind: 'boolean', odd: NONE } : undefined
  const words = new Set(texts.filter((text) => ANY_BOOLEAN.test(text)))
  // One letter alone may be a word of its own: a gender is f.
  const isOneLetter = words.size === 1 && [...words][0]!.length === 1
  if (
    new Set([...words].map((word) => word.toLowerCase())).size === words.size &&
    words.size <= 2 &&
    !isOneLetter
  )
    return { kind: 'boolean', odd: oddOf(texts, (text) => test.test(text)) }
  const shown = [...words].slice(0, 4).join(', ')
  const ask = `${shown}: are they true and false, and no words of their own? { type: boolean } makes booleans of them`
  return {
    kind: 'text',
    odd: { ...NONE, why: isOneLetter ? 'one letter alone' : 'booleans in several forms' },
    ask,
  }
}

function numberOf(name: string, texts: readonly string[], isText: boolean): ValueKind | undefined {
  const isNumber = (text: string) => NUMBER.test(text)
  // Numbers of JSON stay as they are.
  if (!isText && isMost(texts, isNumber)) return { kind: 'number', odd: oddOf(texts, isNumber) }
  const guess = guessNumbers(texts, (test) => isMost(texts, test))
  if (!guess) return undefined
  const textFor = (why: string, ask?: string): ValueKind => ({ kind: 'text', odd: { ...NONE, why }, ask })
  const code = isCode(name, texts)
  if ('why' in guess) return textFor(guess.why, code ? undefined : guess.ask)
  const { form, isPlain, isDigits, fits } = guess
  const isVersion = VERSION_NAME.test(plain(name))
  if (code && form.currency === undefined && (isDigits || isVersion))
    return textFor('digits of an id or a code')
  const odd = oddOf(texts, fits)
  return isPlain ? { kind: 'number', odd } : { kind: 'money', form, odd }
}

function isCode(name: string, texts: readonly string[]): boolean {
  if (ID_NAME.test(plain(name))) return true
  return PHONE_NAME.test(plain(name)) && texts.every((text) => PHONE.test(text))
}

function isMost(texts: readonly string[], test: (text: string) => boolean): boolean {
  const fits = texts.filter(test).length
  return texts.length < FEW ? fits === texts.length : fits >= texts.length * MOST_OF
}

function oddOf(texts: readonly string[], test: (text: string) => boolean): Odd {
  const odd = texts.filter((text) => !test(text))
  return { count: odd.length, example: odd[0] }
}
