import { jsonLeaves, type Leaf, type SourceRecord } from './source-leaves.ts'
import type { Stranger } from './stranger.ts'

/** What the program says became of a history: the JSON of `transform` and of `init`. */
export interface Said {
  readonly members: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly mends: Readonly<Record<string, number>>
  /** What `init` took each column for: `money in €, whose sign is not kept`. */
  readonly columns: ReadonlyArray<{ readonly name: string; readonly type: string }>
  /** The records of rejects. */
  readonly rejected: readonly string[]
  /** Records left out, by reason. */
  readonly filtered: Readonly<Record<string, number>>
}

interface Event {
  readonly leaves: SourceRecord
  readonly texts: ReadonlySet<string>
}

/**
 * Values of source records that are neither in an event nor spoken of, each as `order_id=7: city=Wien`. `key` is the member
 * that no two records have alike. It knows no preset: a value must be there as the same text, the same number or the same
 * instant, or be counted as left out, rejected or mended.
 */
export function unaccounted(
  { records, key, alias = {} }: Pick<Stranger, 'records' | 'key' | 'alias'>,
  events: readonly string[],
  said: Said,
): string[] {
  const made = events.map((line): Event => {
    const leaves = jsonLeaves(line)
    // GA4 and others write names of properties as values.
    return { leaves, texts: new Set(leaves.flatMap(({ path, text }) => [text, ...path])) }
  })
  const excuses = new Excuses(said, alias)
  const lost: string[] = []
  let filtered = Object.values(said.filtered).reduce((sum, count) => sum + count, 0)
  for (const record of records) {
    const id = record.find(({ path }) => path.join('.') === key)!
    const own = made.filter((event) => isIn(id, event, record))
    if (own.length === 0) {
      if (said.rejected.some((text) => text.includes(id.text))) continue
      if (filtered-- > 0) continue
      lost.push(`${key}=${id.text}: no event, no reject`)
      continue
    }
    for (const leaf of record) {
      if (own.some((event) => isIn(leaf, event, record)) || excuses.take(leaf)) continue
      lost.push(`${key}=${id.text}: ${leaf.path.join('.')}=${leaf.text}`)
    }
  }
  return lost
}

/** What the program has said of values that are in no event, each as often as it said so. */
class Excuses {
  readonly #left = new Map<string, number>()
  readonly #said: Said
  readonly #alias: Readonly<Record<string, string>>
  #nulls: number

  constructor(said: Said, alias: Readonly<Record<string, string>>) {
    this.#alias = alias
    this.#said = said
    this.#nulls = said.mends.not_finite ?? 0
    for (const [path, fates] of Object.entries(said.members)) {
      const count = Object.entries(fates)
        .filter(([fate]) => fate.startsWith('left out') || /^used: (?:event|uuid)$/.test(fate))
        .reduce((sum, [, n]) => sum + n, 0)
      this.#left.set(path, count)
    }
  }

  take({ path, text, isText }: Leaf): boolean {
    if (!isText && /^(?:NaN|-?Infinity)$/.test(text)) return this.#nulls-- > 0
    for (let length = path.length; length > 0; length--) {
      const own = path.slice(0, length).join('.')
      const name = this.#alias[own] ?? own
      const count = this.#left.get(name) ?? 0
      if (count === 0) continue
      this.#left.set(name, count - 1)
      return true
    }
    const column = this.#said.columns.find(({ name }) => name === path[0])
    return column !== undefined && /sign is not kept/.test(column.type) && /\p{Sc}/u.test(text)
  }
}

function isIn(leaf: Leaf, { leaves, texts }: Event, record: SourceRecord): boolean {
  const { text } = leaf
  if (texts.has(text) || texts.has(text.trim())) return true
  if (leaves.some((one) => isSame(text, one.text))) return true
  // A cell that holds JSON, read as what it holds.
  if (leaf.isText && /^\s*[[{]/.test(text)) {
    const inner = innerOf(text)
    if (inner && inner.length > 0) return inner.every((one) => isIn(one, { leaves, texts }, record))
  }
  return false
}

function innerOf(text: string): SourceRecord | undefined {
  try {
    JSON.parse(text)
    return jsonLeaves(text)
  } catch {
    return undefined
  }
}

function isSame(source: string, made: string): boolean {
  if (/^(?:true|t)$/i.test(source)) return made === 'true'
  if (/^(?:false|f)$/i.test(source)) return made === 'false'
  const number = decimalOf(made)
  if (number !== undefined && numbersOf(source).some((one) => decimalOf(one) === number)) return true
  return isSameTime(source, made)
}

/** A number in one form: sign, digits without zeros at either end, power of ten. Undefined for what JSON writes otherwise. */
function decimalOf(text: string): string | undefined {
  const parts = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text)
  if (!parts) return undefined
  const [, sign, whole, fraction = '', exponent = '0'] = parts
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

/** The readings of a number that people write; several where its signs allow them. */
function numbersOf(text: string): string[] {
  const bare = text.replace(/[\p{Sc}\s]/gu, '')
  const [, front, digits, back] = /^(-?)([\d.,]+)(-?)$/.exec(bare) ?? []
  if (digits === undefined) return [text]
  const sign = front || back ? '-' : ''
  const readings = [text]
  if (/^\d+,\d+$/.test(digits) || /^\d{1,3}(?:\.\d{3})+(?:,\d+)?$/.test(digits)) {
    readings.push(`${sign}${digits.replaceAll('.', '').replace(',', '.')}`)
  }
  if (/^\d+(?:\.\d+)?$/.test(digits) || /^\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(digits)) {
    readings.push(`${sign}${digits.replaceAll(',', '')}`)
  }
  return readings
}

const MADE_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d+)?Z$/

/** True if both are one instant, or if the source is the day or the time of day of it. All zones are UTC here. */
function isSameTime(source: string, made: string): boolean {
  const [, day, time, fraction = ''] = MADE_TIME.exec(made) ?? []
  if (day === undefined) return false
  const text = source.trim()
  const german = /^(\d\d?)\.(\d\d?)\.(\d{4})(?:[ ,]+(.*))?$/.exec(text)
  if (german) {
    const [, d, m, y, rest] = german
    return (
      `${y}-${m!.padStart(2, '0')}-${d!.padStart(2, '0')}` === day &&
      (rest === undefined || isTimeOfDay(rest, time!))
    )
  }
  if (isTimeOfDay(text, time!)) return true
  if (text === day) return true
  const at = Date.parse(`${day}T${time}Z`) / 1000
  if (/^\d{5}(?:\.\d+)?$/.test(text)) return Math.abs((Number(text) - 25_569) * 86_400 - at) < 1
  if (/^\d{10}(?:\d{3}|\d{6})?$/.test(text))
    return text.startsWith(`${at}${fraction.slice(1, 4)}`.slice(0, text.length))
  const iso = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d)?)(\.\d+)?\s?(?:Z|UTC|\+00:?00)?$/.exec(text)
  if (!iso || iso[1] !== day || !isTimeOfDay(iso[2]!, time!)) return false
  return (
    fraction.replace(/0+$/, '').replace(/^\.$/, '') === (iso[3] ?? '').replace(/0+$/, '').replace(/^\.$/, '')
  )
}

function isTimeOfDay(text: string, time: string): boolean {
  const [, hours, rest] = /^(\d\d?)(:\d\d(?::\d\d)?)$/.exec(text) ?? []
  return hours !== undefined && `${hours.padStart(2, '0')}${rest}${rest!.length === 3 ? ':00' : ''}` === time
}
