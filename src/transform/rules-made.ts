/** The versions of the rules that made some events, and of those that would make them now. */
export interface RulesMade {
  /** `the events in g1` */
  readonly what: string
  readonly before: string
  readonly now: string
  readonly count: number
}

/** `othersMap`: earlier datasets that another mapping file made. */
export type LookAtRules = (facts: {
  readonly rules?: RulesMade
  readonly othersMap?: readonly string[]
}) => void
