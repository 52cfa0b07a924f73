import type { IdView } from '../../src/mapping/preset.ts'
import { Id } from '../../src/record/id.ts'
import { KIND } from '../../src/record/tape.ts'
import { uuidV5 } from '../../src/record/uuid.ts'
import { elements, type Json, kindOf, members, scalar } from './json.ts'
import { isNobody, isNone } from './service-rules.ts'

/** The slots of one record, as a preset's functions read them. */
export class View implements IdView {
  /** The value of each slot, with the rank of the rule that filled it. */
  readonly #slots = new Map<string, { readonly json: Json; readonly rank: number }>()
  /** Ids that were left out, since they stand for nobody. */
  readonly #words: [slot: string, json: Json][] = []

  /** A path that the table has earlier keeps the slot, unless its value says nothing. */
  fill(slot: string, json: Json, rank: number): void {
    const before = this.#slots.get(slot)
    const saysNothing = (one: Json) => one === 'null' || one === '""'
    if (before && before.rank < rank && !saysNothing(before.json)) return
    if (before && before.rank > rank && saysNothing(json)) return
    this.#slots.set(slot, { json, rank })
  }

  /** Makes slots of ids empty whose value stands for nobody. */
  leaveOutNobody(ids: readonly string[]): void {
    for (const slot of ids) {
      const json = this.json(slot)
      const id = scalar(json)
      if (id === undefined || !isNobody(id)) continue
      this.#slots.delete(slot)
      this.#words.push([slot, json!])
    }
  }

  /** Puts back words that a tool may use as ids, as `guest`; false if there are none. */
  putBackWords(): boolean {
    const words = this.#words.filter(([, json]) => !isNone(scalar(json)!))
    for (const [slot, json] of words) this.#slots.set(slot, { json, rank: 0 })
    return words.length > 0
  }

  text(slot: string): string | undefined {
    const text = scalar(this.json(slot))
    return text === '' ? undefined : text
  }

  id(slot: string): Id | undefined {
    const text = this.text(slot)
    return text === undefined ? undefined : Id.ofText(text)
  }

  first(slot: string): string | undefined {
    if (this.json(slot)?.[0] !== '[') return this.text(slot)
    return scalar(this.elements(slot).find((json) => json !== 'null' && json !== '""'))
  }

  uuidV5(namespace: string, slot: string): string | undefined {
    const text = this.text(slot)
    return text === undefined ? undefined : uuidV5(namespace, text)
  }

  kind(slot: string) {
    const json = this.json(slot)
    if (json === undefined) return undefined
    const kind = kindOf(json)
    return kind === 'boolean' ? KIND[json as 'true' | 'false'] : KIND[kind]
  }

  json(slot: string): Json | undefined {
    return this.#slots.get(slot)?.json
  }

  object(slot: string): Json | undefined {
    const json = this.json(slot)
    return json?.[0] === '{' ? json : undefined
  }

  entries(slot: string): [name: string, json: Json][] {
    return members(this.object(slot) ?? '{}')
  }

  elements(slot: string): Json[] {
    const json = this.json(slot)
    return json?.[0] === '[' ? elements(json) : []
  }
}

/** The same record as it is read for a time, a uuid or a session: a word that says that there is no value is none. */
export class NoNullsView extends View {
  readonly #view: View

  constructor(view: View) {
    super()
    this.#view = view
  }

  override json(slot: string): Json | undefined {
    return this.#view.json(slot)
  }

  override text(slot: string): string | undefined {
    const text = this.#view.text(slot)
    return text !== undefined && isNone(text) ? undefined : text
  }
}
