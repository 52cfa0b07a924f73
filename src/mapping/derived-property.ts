import type { Key } from '../record/keys.ts'
import type { EventDraft } from './draft.ts'
import { type Spelling, spell } from './spelling.ts'

/** A property that is told by others: events that have it keep theirs. */
export class DerivedProperty {
  readonly #draft: EventDraft
  readonly #name: string
  /** Undefined for a name that the mapping file drops, or makes the distinct_id. */
  readonly #key: Key | undefined

  constructor(draft: EventDraft, name: string) {
    this.#draft = draft
    this.#name = name
    this.#key = draft.finalKey(name)
  }

  add(value: Spelling): void {
    const draft = this.#draft
    if (this.#key !== undefined) {
      if (!draft.properties.has(this.#key)) draft.spelled(this.#key, value)
    } else if (!draft.has(this.#name)) draft.text(this.#name, value.text)
  }

  /** The same of text at [start, end) that JSON spells as it is. */
  addPlain(bytes: Buffer, start: number, end: number): void {
    const draft = this.#draft
    if (this.#key === undefined) this.add(spell(bytes.toString('utf8', start, end)))
    else if (!draft.properties.has(this.#key)) draft.plain(this.#key, bytes, start, end)
  }
}
