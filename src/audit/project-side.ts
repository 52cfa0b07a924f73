/** A day of the project, and how many events it has there. Copies that are not merged yet count. */
export interface DayThere {
  readonly day: string
  readonly events: number
  /** Of those, the events that carry the id of this import: they were sent before. */
  readonly own: number
}

/** The project that events would go to. */
export interface ProjectSide {
  readonly id: string
  readonly name: string
  /** True if it has no event at all. */
  readonly isEmpty: boolean
  /** The days of the input on which the project has events. */
  readonly days: readonly DayThere[]
}

/** What is known of the project, or why nobody knows. */
export interface ProjectAsked {
  readonly project?: ProjectSide | undefined
  /** Why a project that could have been asked was not. Undefined where no personal key is set. */
  readonly unasked?: string | undefined
  /** True if the same reason kept its group types from being asked, so that it is said once. */
  readonly saysGroups?: boolean
}
