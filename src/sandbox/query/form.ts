/** A mark that no query has of its own. */
const MARK = '\u{f8ff}'
const TEXT = String.raw`'[^'\\]*'(?!')`

/**
 * The pieces of a query in which a quote may stand: a list of three texts or more, one text, and what is left as it is (a
 * text with an escape, one such as `f'…'` or `interval '1 day'` that is more than its value, names, comments).
 */
const PIECES = new RegExp(
  [
    String.raw`(?<list>(?<=[([]\s*)${TEXT}(?:\s*,\s*${TEXT}){2,})`,
    String.raw`(?<one>(?<=[([,=<>]\s*)${TEXT})`,
    String.raw`'(?:[^'\\]|\\[^]|'')*'`,
    String.raw`"(?:[^"\\]|\\[^])*"`,
    '`(?:[^`\\\\]|\\\\[^])*`',
    '--.*',
    String.raw`/\*[^]*?\*/`,
  ].join('|'),
  'g',
)

/** Where a piece ends in the form and in the query, in code points. */
interface Move {
  readonly form: number
  readonly query: number
}

/**
 * The form of a query: a mark stands for each of its texts, and two for a list of them. The service's parser takes 20 ms
 * for a short query, and a millisecond for each text of a list; queries of one form are many.
 */
export class QueryForm {
  readonly text: string
  readonly #lists: string[][] = []
  readonly #moves: Move[] = [{ form: 0, query: 0 }]

  constructor(query: string) {
    let form = ''
    let from = 0
    for (const { 0: piece, index, groups } of query.matchAll(PIECES)) {
      const texts = groups?.list ?? groups?.one
      if (texts === undefined) continue
      const number = this.#lists.push([...texts.matchAll(/'([^']*)'/g)].map((one) => one[1]!)) - 1
      const rest = groups?.list === undefined ? '' : `, '${MARK}${number}+'`
      const between = query.slice(from, index)
      form += `${between}'${MARK}${number}'${rest}`
      from = index + piece.length
      const last = this.#moves.at(-1)!
      const start = last.form + points(between)
      const marks = `'${MARK}${number}'${rest}`
      this.#moves.push({ form: start + points(marks), query: last.query + points(between) + points(piece) })
    }
    this.text = form + query.slice(from)
  }

  /** Puts the texts, and the places in the query, into what the form was parsed to. Changes it. */
  fill<T>(parsed: T): T {
    return this.#filled(parsed) as T
  }

  #filled(node: unknown): unknown {
    if (typeof node === 'string' && node.startsWith(MARK)) return this.#lists[Number(node.slice(1))]![0]
    if (Array.isArray(node)) return node.flatMap((one) => this.#rest(one) ?? [this.#filled(one)])
    if (node === null || typeof node !== 'object') return node
    const members = node as Record<string, unknown>
    for (const [name, value] of Object.entries(members))
      members[name] =
        name === 'offset' && typeof value === 'number' ? this.#moved(value) : this.#filled(value)
    return members
  }

  /** The texts of a list from the second on, where a node stands for them. */
  #rest(node: { readonly value?: unknown } | null): unknown[] | undefined {
    const value = node?.value
    if (typeof value !== 'string' || !value.startsWith(MARK) || !value.endsWith('+')) return undefined
    const texts = this.#lists[Number(value.slice(1, -1))]!
    return texts.slice(1).map((text) => ({ ...node, value: text }))
  }

  #moved(offset: number): number {
    const move = this.#moves.findLast(({ form }) => form <= offset)!
    return offset - move.form + move.query
  }
}

function points(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}
