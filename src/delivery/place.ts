import { PosthaulError } from '../errors.ts'
import { RESEND_MERGES } from '../record/merging.ts'

/** A place between two lines: part (0 in a file), byte offset in its unpacked text, number of the next line. */
export interface Place {
  readonly part: number
  readonly offset: number
  readonly line: number
}

/** The beginning of every input. */
export const START: Place = { part: 0, offset: 0, line: 1 }

/** The beginning of a part of the input. */
export function startOf(part: number): Place {
  return { part, offset: 0, line: 1 }
}

/** True when `a` comes before `b`. */
export function isBefore(a: Place, b: Place): boolean {
  return a.part < b.part || (a.part === b.part && a.offset < b.offset)
}

/** The first of some places. */
export function earliest(places: readonly Place[]): Place {
  return places.reduce((least, place) => (isBefore(place, least) ? place : least))
}

/** The last of some places. */
export function latest(places: readonly Place[]): Place {
  return places.reduce((most, place) => (isBefore(most, place) ? place : most))
}

const LF = 0x0a
const CR = 0x0d

/**
 * Holds places of a checkpoint against the text of their part. A line begins at each of them, and has the number that the
 * place says; otherwise lines before it were never sent.
 */
export class PlaceCheck {
  readonly #name: string
  readonly #places: Place[]
  #at = 0
  #line = 1
  #before = LF
  #fault: PosthaulError | undefined

  /** `name` is what messages call the part. All places are in it. */
  constructor(name: string, places: readonly Place[]) {
    this.#name = name
    this.#places = places.toSorted((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  /** True when no more text is needed. */
  get done(): boolean {
    return this.#fault !== undefined || this.#places.length === 0
  }

  /** Takes the next bytes of the part. */
  push(chunk: Buffer): void {
    let counted = 0
    const countTo = (end: number) => {
      for (let at = chunk.indexOf(LF, counted); at !== -1 && at < end; at = chunk.indexOf(LF, at + 1)) {
        this.#line++
        counted = at + 1
      }
      if (end > 0) this.#before = chunk[end - 1]!
    }
    for (;;) {
      const [place] = this.#places
      if (!place || this.#fault) return
      const end = place.offset - this.#at
      if (end > chunk.length) break
      countTo(end)
      // The next byte tells, and has not come yet.
      if (end === chunk.length && this.#before !== LF) break
      const next = chunk[end]
      // The line before may have had no line end when it was read, because the part ended there.
      this.#take(place, this.#before === LF || next === LF || next === CR)
    }
    countTo(chunk.length)
    this.#at += chunk.length
  }

  /**
   * No more text comes, or no more is needed. Throws `mismatch` for the first place at which its line doesn't begin.
   * `whole`: the text was not cut before the end that it had when the checkpoint was saved.
   */
  end(whole = true): void {
    for (const place of this.done ? [] : [...this.#places]) {
      if (place.offset > this.#at) this.#wrong(place, `of which ${this.#at} bytes were read`)
      else this.#take(place, whole || this.#before === LF)
    }
    if (this.#fault) throw this.#fault
  }

  #take(place: Place, isLine: boolean): void {
    this.#places.shift()
    if (!isLine) this.#wrong(place, `and that is inside line ${this.#line}`)
    else if (place.line !== this.#line) this.#wrong(place, `and line ${this.#line} begins there`)
  }

  #wrong({ offset, line }: Place, why: string): void {
    this.#fault ??= noSuchPlace(`byte ${offset} (line ${line}) of ${this.#name}, ${why}`)
  }
}

/** What else a person can do where the state belongs to something else: what --restart and undo do. */
export const START_OVER =
  'or add --restart, which forgets this state and sends all of the input. What was sent already stays in the project: ' +
  'posthaul undo says what that is, and asks PostHog to delete it'

/** The refusal of a checkpoint with a place that is not in its input. */
export function noSuchPlace(what: string): PosthaulError {
  return new PosthaulError(`the checkpoint says to go on at ${what}`, {
    code: 'mismatch',
    hint: `restore the checkpoint from a backup, or add --restart, which sends all of the input again: ${RESEND_MERGES}`,
  })
}
