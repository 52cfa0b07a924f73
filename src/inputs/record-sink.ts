import type { LineSink, Reject } from '../record/index.ts'

/**
 * Receives the records of an input, each as one line of JSON, and what could not become a line. The calls of `line`,
 * `tooLong` and `reject` together are the records read. A sink that throws stops the reading.
 */
export interface RecordSink extends LineSink {
  /** A record that the reader itself cannot turn into a line. */
  reject(reject: Reject): void
  /** Counts what a rule of the mapping file could not use: `columns.AMOUNT holds no number`. */
  unusable(what: string): void
}
