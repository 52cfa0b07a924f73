import { beginsWith, hashBytes } from '../record/bytes.ts'
import { canonicalKey, type Members, PUT, type Put } from '../record/members.ts'
import type { Notes } from '../record/notes.ts'
import { KIND, type Tape } from '../record/tape.ts'
import { decodeText, keyText } from '../record/text.ts'
import { type Emit, isOwnName, type Rule, type RuleNode } from './compile.ts'
import type { EventDraft } from './draft.ts'
import type { SlotView } from './view.ts'

/** Applies the compiled tables to a scanned record: every member goes where its rule says, as spans. */
export class Walk {
  readonly #tape: Tape
  readonly #view: SlotView
  readonly #draft: EventDraft
  readonly #notes: Notes
  /** JSON text of the strings that mean "nothing", with null and "" when `dropsEmpty`. */
  readonly #empty: readonly Buffer[]
  readonly #dropsEmpty: boolean

  constructor(
    tape: Tape,
    view: SlotView,
    draft: EventDraft,
    notes: Notes,
    empty: readonly string[] | undefined,
  ) {
    this.#tape = tape
    this.#view = view
    this.#draft = draft
    this.#notes = notes
    this.#empty = (empty ?? []).map((word) => Buffer.from(JSON.stringify(word)))
    this.#dropsEmpty = empty !== undefined
  }

  /** Walks the members from tape index `from` up to `to`. */
  object(node: RuleNode, bytes: Buffer, from: number, to: number): void {
    const tape = this.#tape
    let nested = false
    for (let i = from; i < to; i = tape.next(i)) {
      const index = this.#ruleOf(node, bytes, i)
      if (index < 0) {
        this.#member(node.patterns.length === 0 ? node.rest : this.#patternOf(node, bytes, i), bytes, i)
        continue
      }
      const rule = node.rules[index]!
      if (rule.child !== undefined && tape.kind(i) === KIND.object) {
        if (!nested) node.seen.fill(-1)
        const isSecond = nested && node.seen[index]! >= 0
        nested = true
        node.seen[index] = i
        if (rule.whole) this.#member(rule, bytes, i)
        else {
          for (const slot of rule.slots) this.#slot(slot, rule, i)
          if (isSecond) this.#notes.duplicate_keys++
        }
      } else this.#member(rule, bytes, i)
    }
    if (!nested) return
    // Objects come last, so that of two with one name only the last is walked.
    for (let index = 0; index < node.rules.length; index++) {
      const at = node.seen[index]!
      if (at >= 0) this.object(node.rules[index]!.child!, bytes, at + 1, tape.next(at))
    }
  }

  #ruleOf(node: RuleNode, bytes: Buffer, index: number): number {
    const tape = this.#tape
    if (!tape.keyEscaped(index)) {
      return node.keys.find(bytes, tape.keyStart(index), tape.keyEnd(index), tape.hash(index))
    }
    const key = canonicalKey(keyText(tape, bytes, index))
    return node.keys.find(key, 0, key.length, hashBytes(key, 0, key.length))
  }

  #patternOf({ patterns, rest }: RuleNode, bytes: Buffer, index: number): Rule {
    const tape = this.#tape
    const escaped = tape.keyEscaped(index)
    const key = escaped ? canonicalKey(keyText(tape, bytes, index)) : bytes
    const start = escaped ? 0 : tape.keyStart(index)
    const end = escaped ? key.length : tape.keyEnd(index)
    for (const { head, rule } of patterns) if (beginsWith(key, start, end, head)) return rule
    return rest
  }

  #member(rule: Rule, bytes: Buffer, index: number): void {
    const { slots, emits } = rule
    let isSecond = false
    for (let i = 0; i < slots.length; i++) if (this.#slot(slots[i]!, rule, index)) isSecond = true
    if (emits.length > 0 && !(this.#dropsEmpty && this.#isEmpty(bytes, index))) {
      for (let i = 0; i < emits.length; i++) if (this.#emit(emits[i]!, bytes, index)) isSecond = true
    }
    if (isSecond) this.#notes.duplicate_keys++
  }

  /** True when the member's name stood there before. */
  #slot(slot: number, rule: Rule, index: number): boolean {
    const { found, ranks } = this.#view
    const before = found[slot]!
    let isSecond = false
    if (before >= 0) {
      const rank = ranks[slot]!
      isSecond = rank === rule.rank
      // Another field that is listed first keeps the slot, unless it holds nothing.
      if (!isSecond && (rank < rule.rank ? !this.#isNothing(before) : this.#isNothing(index))) return false
    }
    found[slot] = index
    ranks[slot] = rule.rank
    return isSecond
  }

  /** True when the member's name stood there before. */
  #emit(emit: Emit, bytes: Buffer, index: number): boolean {
    const draft = this.#draft
    const members =
      emit.into === 'property' ? draft.properties : emit.into === 'set' ? draft.toSet : draft.toSetOnce
    const tape = this.#tape
    const { rank } = emit
    let put: Put
    if (emit.key !== undefined) {
      put = members.putKey(emit.key, bytes, tape.start(index), tape.end(index), rank)
    } else if (emit.prefix === undefined) put = members.putOwn(tape, bytes, index, rank)
    else {
      const key = Buffer.concat([emit.prefix, canonicalKey(keyText(tape, bytes, index))])
      const hash = hashBytes(key, 0, key.length)
      put = members.put(key, 0, key.length, hash, bytes, tape.start(index), tape.end(index), rank)
    }
    if (emit.into === 'property') {
      if (put === PUT.outranked) this.#saveLoser(members.lost, emit, bytes, index)
      if (put === PUT.kept) {
        const loser = { source: bytes, start: tape.start(index), end: tape.end(index), rank }
        this.#saveLoser(loser, emit, bytes, index)
      }
    }
    return put === PUT.replaced
  }

  /** Two fields gave one property. A loser that has no other name goes by the vendor's. */
  #saveLoser(loser: Members['lost'], emit: Emit, bytes: Buffer, index: number): void {
    if (!isOwnName(loser.rank)) return
    const { key, prefix } = emit
    const name = key
      ? decodeText(key.bytes, key.start, key.end, true)
      : (prefix ? decodeText(prefix, 0, prefix.length, true) : '') + keyText(this.#tape, bytes, index)
    const json = loser.source.toString('utf8', loser.start, loser.end)
    if (json !== this.#draft.json(name)) this.#draft.vendorProperty(name, json)
  }

  #isNothing(index: number): boolean {
    const tape = this.#tape
    return (
      tape.kind(index) === KIND.null ||
      (tape.kind(index) === KIND.string && tape.end(index) - tape.start(index) === 2)
    )
  }

  #isEmpty(bytes: Buffer, index: number): boolean {
    const tape = this.#tape
    const kind = tape.kind(index)
    if (kind === KIND.null) return true
    if (kind !== KIND.string) return false
    const start = tape.start(index)
    const length = tape.end(index) - start
    if (length === 2) return true
    // Words and values of one length differ at the first letter, mostly; a call to compare costs more than the look.
    for (const word of this.#empty) {
      if (word.length !== length || word[1] !== bytes[start + 1]) continue
      if (bytes.compare(word, 0, length, start, start + length) === 0) return true
    }
    return false
  }
}
