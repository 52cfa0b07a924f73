/** What a preset is held against, in the order of the table; `remedy` is for who wrote it. */
export const PROMISES = {
  cases: {
    title: 'each case becomes what it says',
    remedy: 'mend the preset, or the expected events of the case where the preset is right',
  },
  repeats: {
    title: 'a record always becomes the same event',
    remedy:
      'keep nothing from one record to the next, and make no id by chance: runs are repeated, and records are shared among threads',
  },
  members: {
    title: 'every value is in an event, or named as left out',
    remedy:
      'put it into the event, or give its path the target []; if it only decides something, name it in unseen.json, with the reason',
  },
  uuids: {
    title: 'uuids are valid in any order of members',
    remedy:
      'make a uuid of values, not of the JSON of an object, or return undefined: then posthaul makes one',
  },
  times: {
    title: 'timestamps are valid in any time zone',
    remedy: 'return microseconds: parseTime(text, sourceTimezone) reads the usual forms',
  },
  clock: {
    title: 'no function looks at the clock or at chance',
    remedy: 'take times and ids from the record alone: tomorrow it must become the same event',
  },
  failures: {
    title: 'functions throw only Rejection and Filtered',
    remedy: "throw a Rejection, with a reason and a sentence, for a record that can't become an event",
  },
  rejects: {
    title: 'each reject has a reason, and says why',
    remedy: 'give each Rejection a word to count by, such as plan_unknown, and a sentence that says why',
  },
} as const

export type PromiseName = keyof typeof PROMISES

/** Where a preset breaks a promise. */
export interface Breach {
  readonly promise: PromiseName
  /** `valid/page-view`; null for the preset as a whole. */
  readonly case: string | null
  /** The record of the case, from 1; null for all of them. */
  readonly record: number | null
  /** The path of the member, for values that are lost. */
  readonly member: string | null
  readonly text: string
}

/** What was tried, and what was broken. Each breach is kept once for its case. */
export class TrialBook {
  readonly tried: Record<PromiseName, number>
  readonly breaches: Breach[] = []
  readonly #known = new Set<string>()

  constructor() {
    const none = Object.keys(PROMISES).map((name) => [name, 0])
    this.tried = Object.fromEntries(none) as Record<PromiseName, number>
  }

  add(breach: Breach): void {
    const key = JSON.stringify([breach.promise, breach.case, breach.text])
    if (this.#known.has(key)) return
    this.#known.add(key)
    this.breaches.push(breach)
  }
}
