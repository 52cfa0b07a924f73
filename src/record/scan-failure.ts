/** Why a line is no record. */
export type ScanReason = 'bad_json' | 'bad_utf8' | 'trailing_bytes' | 'too_deep' | 'not_an_object'

/** Where and why the last scan failed; `at` is an index into the scanned bytes. */
export interface ScanFailure {
  readonly reason: ScanReason
  readonly at: number
}
