import { SNOWPLOW_COLUMNS } from './snowplow/atomic-columns.ts'

/** Rows of tabs and text without a header, whose columns a vendor's manual lists: quotes in them are data. */
export interface Headerless {
  /** The preset that reads them. */
  readonly preset: string
  /** In their order; a row may have fewer. What comes after them is named by its place: `column_132`. */
  readonly columns: readonly string[]
  /** Finds a row in the beginning of a file: no header of the same columns fits. */
  readonly row: RegExp
}

export const HEADERLESS: readonly Headerless[] = [
  {
    preset: 'snowplow',
    columns: SNOWPLOW_COLUMNS,
    // Times of the pipeline and the device, then the kind of event and its id.
    row: /^(?:[^\t\n]*\t){3}\d{4}-\d\d-\d\d [^\t\n]*\t[^\t\n]*\t(?:page_view|page_ping|struct|unstruct|transaction|transaction_item|ad_impression)\t[\da-f]{8}-[\da-f-]{27}\t/im,
  },
]
