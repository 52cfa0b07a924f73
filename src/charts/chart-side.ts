import type { Chart, ChartSpan } from './chart.ts'
import type { ChartAnswer, NoAnswer } from './chart-answer.ts'

/** A saved report as a vendor lists it. `charts`: what of it can be asked everywhere; `why` it can't, where there are none. */
export interface SavedReport {
  readonly id: string
  readonly name: string
  /** As the vendor calls it: `insights`, `funnels`. */
  readonly kind: string
  readonly charts: readonly Chart[]
  readonly why: string | null
}

/** The names that a vendor knows things by. */
export interface VendorNames {
  /**
   * The vendor's names of an event: several where the mapping gives them one name, none where the vendor has no such event.
   * Null: all names that the vendor is known to have, the most frequent first.
   */
  events(final: string | null): readonly string[]
  /** The vendor's name of a property; undefined where it has none, or where the mapping makes it of several. */
  property(final: string): string | undefined
  /** The final name of a vendor's event or property, for reading its saved reports. */
  finalEvent(name: string): string
  finalProperty(name: string): string
}

/** Someone who answers charts: a vendor or the service. The dataset is no such side: all its charts are asked at once. */
export interface ChartSide {
  /** As a sentence calls it: `Mixpanel`, `PostHog`. */
  readonly name: string
  /**
   * Is told all charts that are about to be asked, before the first of them: a vendor with a small quota answers several
   * names by one request. Charts that nobody announced are answered all the same.
   */
  announce?(charts: readonly Chart[]): void
  /** Asks one chart. Waits for quotas and retries by itself. Throws what no retry mends. */
  ask(chart: Chart, span: ChartSpan, call: ChartCall): Promise<ChartAnswer | NoAnswer>
  /** The saved reports; undefined where the side lists none. */
  reports?(call: ChartCall): Promise<readonly SavedReport[]>
  /** One saved report by its id. Code `usage` for one that is not there. */
  report?(id: string, call: ChartCall): Promise<SavedReport>
  close(): Promise<void>
}

/** What an asked side may use. */
export interface ChartCall {
  readonly signal: AbortSignal
  /** Undefined for PostHog, whose names are the final ones. */
  readonly names: VendorNames | undefined
  /** Tells the user something that is not a failure, such as a wait for the quota. */
  note(text: string): void
}
