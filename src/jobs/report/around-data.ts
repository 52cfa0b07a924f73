/** What lies around the events, as the last push left it: a row a kind. */
export interface AroundPart {
  readonly folder: string
  readonly host: string
  readonly project: string
  /** ISO time. */
  readonly at: string
  readonly kinds: readonly {
    readonly kind: string
    readonly rows: number
    /** Made or changed by any push of the folder. */
    readonly brought: number
    /** By the last one. */
    readonly made: number
    readonly changed: number
    readonly alike: number
    /** In other words in PostHog, or taken away there. */
    readonly kept: number
    /** Left out by the mapping, waiting for events, or refused. */
    readonly left: number
    readonly byHand: number
  }[]
}
