import { Id } from '../record/id.ts'
import { elements as cutElements, members as cutMembers } from '../record/json-values.ts'
import { isNullWord, mayBeNobody } from '../record/nobody.ts'
import { KIND, type Kind, valueText } from '../record/tape.ts'
import { textIn } from '../record/text.ts'
import { readUuid, type UuidWords, uuidV5, uuidV5Words, uuidWords } from '../record/uuid.ts'
import type { IdView, UuidRule } from './preset.ts'
import { type SlotView, USE, type Use } from './slot-view.ts'

const EMPTY_OBJECT = '{}'

/** What a preset's functions read a record through: each read of one view is for the same thing. */
class UseView implements IdView {
  readonly #view: SlotView
  readonly #use: Use
  /** True for times and uuids: a word such as NULL is none. All records that have it would be one event, or of one time. */
  readonly #passesOverNulls: boolean

  constructor(view: SlotView, use: Use) {
    this.#view = view
    this.#use = use
    this.#passesOverNulls = use === USE.timestamp || use === USE.uuid
  }

  text(slot: string): string | undefined {
    const view = this.#view
    const filled = view.slot(slot)
    if (filled === undefined) return undefined
    if (filled.text === undefined) {
      const { at } = filled
      if (view.tape.kind(at) === KIND.null) return undefined
      const text = valueText(view.tape, view.bytes, at)
      if (text === undefined || text === '') {
        view.refuse(slot, at)
        return undefined
      }
      filled.text = text
    }
    if (this.#passesOverNulls && view.hasIds && isNullWord(filled.text)) return undefined
    view.ask(filled, this.#use)
    return filled.text
  }

  id(slot: string): Id | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    const { tape, bytes } = this.#view
    const kind = tape.kind(at)
    const quote = kind === KIND.string ? 1 : 0
    const id = isScalar(kind) ? Id.plain(bytes, tape.start(at) + quote, tape.end(at) - quote) : undefined
    if (id === undefined) {
      const text = this.text(slot)
      return text === undefined ? undefined : Id.ofText(text)
    }
    this.#view.ask(filled, this.#use)
    return id
  }

  first(slot: string): string | undefined {
    const at = this.#view.slot(slot)?.at
    if (at === undefined || this.#view.tape.kind(at) !== KIND.array) return this.text(slot)
    const values = this.elements(slot).filter((json) => json !== 'null' && json !== '""')
    const [first] = values
    if (first === undefined) return undefined
    if (/^[[{]/.test(first)) {
      this.#view.count(slot, at, 'is an array of containers')
      return undefined
    }
    if (values.length > 1) this.#view.count(slot, at, 'is an array of several, of which the first is used')
    return textIn(first)
  }

  uuidV5(namespace: string, slot: string): string | undefined {
    const text = this.text(slot)
    return text === undefined ? undefined : uuidV5(namespace, text)
  }

  /** The uuid that a rule's slot tells. Text that is no canonical UUID is left to the rule's `otherwise`. */
  uuid({ slot, namespace }: UuidRule): UuidWords | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    const { tape, bytes } = this.#view
    const [start, end] = [tape.start(at) + 1, tape.end(at) - 1]
    // Most ids are read as the record has them.
    const isPlain = tape.kind(at) === KIND.string && !tape.escaped(at) && start < end
    if (isPlain && (namespace === undefined || !mayBeNobody(bytes, start, end))) {
      this.#view.ask(filled, this.#use)
      return namespace === undefined ? readUuid(bytes, start, end) : uuidV5Words(namespace, bytes, start, end)
    }
    const uuid = namespace === undefined ? undefined : this.uuidV5(namespace, slot)
    return uuid === undefined ? undefined : uuidWords(uuid)
  }

  kind(slot: string): Kind | undefined {
    const at = this.#view.slot(slot)?.at
    return at === undefined ? undefined : this.#view.tape.kind(at)
  }

  json(slot: string): string | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    if (this.#view.tape.kind(at) !== KIND.null) this.#view.ask(filled, this.#use)
    return this.#view.spanText(this.#view.tape.start(at), this.#view.tape.end(at))
  }

  object(slot: string): string | undefined {
    return this.#jsonOf(slot, KIND.object)
  }

  entries(slot: string): ReadonlyArray<readonly [string, string]> {
    const json = this.#jsonOf(slot, KIND.object)
    return json === undefined || json === EMPTY_OBJECT ? [] : cutMembers(json)
  }

  elements(slot: string): readonly string[] {
    const json = this.#jsonOf(slot, KIND.array)
    return json === undefined || json.length === 2 ? [] : cutElements(json)
  }

  /** The JSON of a slot that holds this kind of value. Another kind is counted. */
  #jsonOf(slot: string, kind: Kind): string | undefined {
    const filled = this.#view.slot(slot)
    if (filled === undefined) return undefined
    const { at } = filled
    if (this.#view.tape.kind(at) === kind) {
      this.#view.ask(filled, this.#use)
      const [start, end] = [this.#view.tape.start(at), this.#view.tape.end(at)]
      // Most records have their objects empty.
      return kind === KIND.object && end - start === 2 ? EMPTY_OBJECT : this.#view.spanText(start, end)
    }
    this.#view.refuse(slot, at)
    return undefined
  }
}

function isScalar(kind: Kind): boolean {
  return kind !== KIND.null && kind !== KIND.object && kind !== KIND.array
}

/** The record as it is read for each thing. */
export function readsOf(view: SlotView) {
  return {
    event: new UseView(view, USE.event),
    distinctId: new UseView(view, USE.distinctId),
    timestamp: new UseView(view, USE.timestamp),
    uuid: new UseView(view, USE.uuid),
    anonymousId: new UseView(view, USE.anonymousId),
    groups: new UseView(view, USE.groups),
    properties: new UseView(view, USE.properties),
  }
}

export type Reads = ReturnType<typeof readsOf>
