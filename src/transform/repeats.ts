import type { Mapping } from '../mapping/mapping.ts'
import { mixed } from '../record/bytes.ts'
import { KEY_WORD, lineContent } from './run/frame.ts'

/** Events that are dropped because one with their id, name and person is kept on the same day. */
export interface Duplicates {
  readonly count: number
  /** Of these, those that differ from the event that is kept. */
  readonly unlike: number
  /** True where they were counted over a part of the ids, in a dry run of a large input. */
  readonly estimated: boolean
}

interface Repeat {
  count: number
  /** Of these, those whose line is the one of the first. */
  same: number
  content: number
  /** Where the first one is: by its time, then by its place in the input. */
  instant: number
  seq: number
}

/** The ids of a part of the input. Plain data: it crosses threads. */
export interface Repeats {
  readonly level: number
  readonly ids: ReadonlyMap<number, Readonly<Repeat>>
}

const MOST_IDS = 2 ** 15
const TWO_TO_32 = 2 ** 32
const KEY_WORDS = 6

/**
 * Counts, in a dry run, what sealing would drop as duplicates. It holds at most 32,768 ids: beyond that only those whose hash
 * ends in `level` zeros, and what is counted stands for 2^level times as many.
 */
export class RepeatCount {
  #level = 0
  readonly #ids = new Map<number, Repeat>()

  /** Takes the event whose entry begins at `at` of the words. `seq`: its place in the input. */
  see(
    words: Uint32Array,
    at: number,
    { day, instant, seq }: { day: number; instant: number; seq: number },
  ): void {
    let one = mixed(day)
    let other = mixed(~day)
    for (let i = at + KEY_WORD; i < at + KEY_WORD + KEY_WORDS; i++) {
      one = mixed(Math.imul(one ^ words[i]!, 0x85ebca6b))
      other = mixed(Math.imul(other, 31) ^ words[i]!)
    }
    const key = (one >>> 11) * TWO_TO_32 + (other >>> 0)
    this.#put(key, { count: 1, same: 1, content: lineContent(words, at), instant, seq })
  }

  add({ level, ids }: Repeats): void {
    if (level > this.#level) this.#thinTo(level)
    for (const [key, repeat] of ids) this.#put(key, { ...repeat })
  }

  take(): Repeats {
    return { level: this.#level, ids: this.#ids }
  }

  get told(): Duplicates {
    let [count, unlike] = [0, 0]
    for (const one of this.#ids.values()) {
      count += one.count - 1
      unlike += one.count - one.same
    }
    const times = 2 ** this.#level
    return { count: count * times, unlike: unlike * times, estimated: times > 1 }
  }

  #put(key: number, one: Repeat): void {
    if (key % 2 ** this.#level !== 0) return
    const known = this.#ids.get(key)
    if (!known) {
      this.#ids.set(key, one)
      if (this.#ids.size > MOST_IDS) this.#thinTo(this.#level + 1)
      return
    }
    known.count += one.count
    if (known.content === one.content) known.same += one.same
    const isBefore = one.instant < known.instant || (one.instant === known.instant && one.seq < known.seq)
    if (!isBefore) return
    known.instant = one.instant
    known.seq = one.seq
    if (known.content === one.content) return
    known.content = one.content
    known.same = one.same
  }

  #thinTo(level: number): void {
    this.#level = level
    for (const key of this.#ids.keys()) if (key % 2 ** level !== 0) this.#ids.delete(key)
  }
}

/** What repeats over records under an id that a user named. */
export interface UserRepeats extends Pick<Duplicates, 'unlike' | 'estimated'> {
  readonly read: number
}

/** Undefined where a vendor's document calls it the id of an event: its exports hold an event several times, in several forms. */
export function userRepeats(
  { preset, mapping }: { readonly preset: string; readonly mapping: Pick<Mapping, 'fields'> },
  {
    counts: { read },
    duplicates,
  }: { readonly counts: { readonly read: number }; readonly duplicates: Duplicates },
): UserRepeats | undefined {
  const isOfUser = preset === 'events' || (mapping.fields.uuid ?? []).length > 0
  return isOfUser ? { read, unlike: duplicates.unlike, estimated: duplicates.estimated } : undefined
}
