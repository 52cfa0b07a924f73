// What a report shows of a verify: report-data.ts says what holds for all of it.

/** What verify found. */
export interface ProofPart {
  /** When the service was asked; ISO time. */
  readonly askedAt: string
  readonly host: string
  readonly project: string
  readonly proof: 'fingerprints' | 'counts'
  readonly isEqual: boolean
  readonly here: number
  readonly there: number
  /** Undefined if the events were not compared one by one. */
  readonly missing?: number
  readonly unknown?: number
  readonly others: number
  /** How many more events PostHog counts, because it has some under two times. */
  readonly doubled?: number
  /** Cells of the names that are shown; those of all other names together have the name null. */
  readonly cells: readonly ProofCell[]
  /** The names in order; null for all others. */
  readonly names: readonly (string | null)[]
  /** How many names `null` stands for; undefined if not known. */
  readonly otherNames?: number
  /** Cells by state, all of them. */
  readonly states: Readonly<Record<ProofState, number>>
  /** The first days and names that differ. */
  readonly differences: readonly {
    readonly day: string
    readonly name: string | null
    readonly here: number
    readonly there: number
    readonly missing?: number
    readonly unknown?: number
  }[]
  readonly moreDifferences: number
  readonly missingFile?: string
  readonly values?: { readonly compared: number; readonly absent: number; readonly changed: number }
  readonly unasked: readonly string[]
  /** Why events may be missing, a sentence each. */
  readonly causes: readonly string[]
  /** What the service warned of, a sentence each. */
  readonly warnings: readonly string[]
}

/** `unknown`: not asked, or more differences than are kept. */
export type ProofState = 'same' | 'fewer' | 'more' | 'other' | 'unknown'

/** A day and a name. `state` is the worst of what it stands for. */
export interface ProofCell {
  readonly day: string
  readonly name: string | null
  readonly state: ProofState
  readonly here: number
  readonly there?: number
}
