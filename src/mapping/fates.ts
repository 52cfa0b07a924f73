import type { Key } from '../record/keys.ts'
import { memoize } from '../record/text.ts'
import { USE, type Use } from './slot-view.ts'

// The words for what became of a member; docs/members.md explains them.

/** What of an event a value is sent into: its properties, its person's, or those that do not overwrite. */
export type Into = 'property' | 'set' | 'once'

export const KEPT = 'kept'
/** In the event under its own name, but changed, which is counted as a mend. */
export const MENDED = 'mended'
/** In the event as a keyed hash, or as an object with such values among its own, as the mapping file asks. */
export const HASHED = 'hashed'
/** An object whose members are told apart. */
export const OPENED = 'opened'

/** Why a value is nowhere in the event. */
export const LEFT_OUT = {
  /** The preset has no place for it, or none in this record. */
  preset: 'left out: preset',
  empty: 'left out: empty',
  /** Another member gave the same property, and came first in the table. */
  outranked: 'left out: outranked',
  /** The object has the name again: the last one counts. */
  duplicate: 'left out: duplicate',
  /** The service would not keep it with the event. */
  service: 'left out: service',
  dropped: 'left out: properties.drop',
  replaced: 'left out: properties.set',
  person: 'left out: person_properties',
} as const

export const ASKED: ReadonlySet<string> = new Set([LEFT_OUT.dropped, LEFT_OUT.replaced, LEFT_OUT.person])

/** What the tables do with a value that they send somewhere; `own` when it keeps its name. */
export function sentFate(into: Into, name: string, own: boolean): string {
  if (into === 'property') return own ? KEPT : renamedFate(name)
  return `person: ${into === 'set' ? '$set' : '$set_once'}.${name}`
}

/** Memoized, so that equal fates are the same text, which is fast to compare. */
export const renamedFate = memoize((name: string) => `renamed: ${name}`)

/** What a preset's functions did with a value; undefined when another fate says it. */
export function usedFate(use: Use, personScope: Into | undefined): string | undefined {
  switch (use) {
    case USE.none:
    case USE.copied:
      return undefined
    case USE.empty:
      return LEFT_OUT.empty
    case USE.opened:
      return OPENED
    case USE.person:
    case USE.personOnce:
      if (personScope === undefined) return LEFT_OUT.person
      return `person: ${use === USE.person && personScope === 'set' ? '$set' : '$set_once'}`
    default:
      return `used: ${USE_WORDS[use]}`
  }
}

const USE_WORDS: Readonly<Record<number, string>> = {
  [USE.event]: 'event',
  [USE.distinctId]: 'distinct_id',
  [USE.timestamp]: 'timestamp',
  [USE.uuid]: 'uuid',
  [USE.anonymousId]: 'anonymous_id',
  [USE.groups]: '$groups',
  [USE.properties]: 'properties',
}

export const MET = { present: 0, empty: 1, toPerson: 2, withObject: 3, opened: 4 } as const
/** A place and a way of being met are one number: the place, then this number of bits. */
export const MET_BITS = 3
export const METS = 1 << MET_BITS

export interface MemberKind {
  readonly path: string
  /** The last piece of the path. */
  readonly name: string
  readonly emits: ReadonlyArray<{ readonly into: Into; readonly key: Key }>
  /** What each of `emits` does with a value. */
  readonly fates: readonly string[]
  readonly slots: readonly number[]
  /** Why a value is left out that nothing sends or uses; null when it goes with the object that it is in. */
  readonly leftOut: string | null
}

/** For `except`: what happened to a value happened to all that its rule sends. */
export const ALL = -1
/** For `except`: besides all else that happened to it. */
export const BESIDES = -2

/** A departure from what the tables say, in one record; the objects are used again. */
export interface Exception {
  place: number
  /** Index in `emits`, `ALL` or `BESIDES`. */
  emit: number
  fate: string
}
