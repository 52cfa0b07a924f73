/** Why a number differs, as a row of a table: what it is called in results, and what a reader is told. */
interface CauseRow {
  /** False for what nobody has a reason for. */
  readonly isExplained: boolean
  readonly text: string
}

/** In the order of the way from the vendor's number to PostHog's. */
export const CAUSES = {
  vendor: {
    isExplained: false,
    text: "the vendor's number is another than that of the records which it exported",
  },
  profiles: { isExplained: true, text: 'the vendor counts its list of users, and not who did something' },
  filtered: { isExplained: true, text: 'the mapping leaves records out' },
  rejected: { isExplained: true, text: 'records were rejected' },
  duplicate: { isExplained: true, text: 'copies of a record are one event' },
  uncounted: { isExplained: true, text: "events that the vendor's charts don't count" },
  renamed: { isExplained: true, text: 'the mapping gives events other names' },
  property: { isExplained: true, text: 'the mapping changes values of properties' },
  time: { isExplained: true, text: 'events are of another time than the vendor says' },
  people: { isExplained: true, text: 'PostHog joins people by identity events, the vendor by its own rules' },
  dataset: { isExplained: false, text: 'the dataset holds other events than its records give' },
  generated: { isExplained: true, text: 'identity and group events that transform and import add' },
  rules: { isExplained: true, text: "the vendor's rule for a funnel is another than PostHog's" },
  zone: { isExplained: true, text: 'the days of the two projects are of different time zones' },
  pending: { isExplained: true, text: 'events that are not sent yet' },
  others: { isExplained: true, text: 'events that others sent' },
  doubled: { isExplained: true, text: 'copies of events that PostHog has not merged' },
  service: { isExplained: false, text: "PostHog's number is another than that of the dataset" },
  drift: { isExplained: false, text: 'the two projects count other numbers while both are fed' },
} as const satisfies Record<string, CauseRow>

export type DifferenceCause = keyof typeof CAUSES
