import { KIND, keys, type Tape } from '../../record/index.ts'
import type { Rule, RuleNode } from '../compile.ts'
import { isCounted } from '../steps.ts'

/** A member of a record, with the compiled rule that it falls under. */
export interface RecordMember {
  readonly path: string
  /** The last piece of the path, which may have dots of its own. */
  readonly name: string
  /** The span of the value. */
  readonly start: number
  readonly end: number
  readonly rule: Rule
  /** Path of the object that it is in, with a dot after it; '' for the record itself. */
  readonly prefix: string
}

/**
 * The members of a scanned record that a transform counts, in the record's order: those of an object that goes somewhere
 * whole are left out, unless a rule asks for one of them. The walk is that of mapping/walk.ts, without its speed.
 */
export function membersOf(tape: Tape, root: RuleNode): RecordMember[] {
  const found: RecordMember[] = []
  const object = ({ named, patterns, rest, prefix }: RuleNode, from: number, to: number): void => {
    const last = new Map<number, number>()
    for (let i = from; i < to; i = tape.next(i)) last.set(tape.key(i), i)
    for (let i = from; i < to; i = tape.next(i)) {
      const name = keys.text(tape.key(i))
      const rule = named.get(name) ?? patterns.find(({ head }) => name.startsWith(head))?.rule ?? rest
      const path = prefix + name
      if (isCounted({ path, slots: rule.slots, leftOut: rule.leftOut }))
        found.push({ path, name, start: tape.start(i), end: tape.end(i), rule, prefix })
      // Of two objects with one name only the last is opened.
      if (rule.child && tape.kind(i) === KIND.object && last.get(tape.key(i)) === i)
        object(rule.child, i + 1, tape.next(i))
    }
  }
  object(root, 0, tape.count)
  return found
}
