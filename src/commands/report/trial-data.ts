/** A trial beside its whole. Of each pair, the first is the trial's. */
export interface TrialPart {
  readonly trial: string
  readonly whole: string
  readonly people: number
  readonly events: readonly [number, number]
  readonly days: readonly [number, number]
  /** The most frequent of the whole; `shares` are of all events. */
  readonly names: readonly {
    readonly name: string
    readonly counts: readonly [number, number]
    readonly shares: readonly [number, number]
  }[]
  readonly otherNames: number
  /** Names of the whole that the trial has no event of. */
  readonly absent: number
}
