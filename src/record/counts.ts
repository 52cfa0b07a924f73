/** Where every record of a run ended; `read` is always the sum of the other five (promise 1). */
export interface Counts {
  read: number
  written: number
  rejected: number
  filtered: number
  duplicate: number
  pending: number
}

export function zeroCounts(): Counts {
  return { read: 0, written: 0, rejected: 0, filtered: 0, duplicate: 0, pending: 0 }
}

/** The same, with records and events apart, for a run that left nothing pending. */
export function recordsAndEvents(counts: Counts & { readonly generated: number }) {
  const { read, rejected, filtered, duplicate, generated } = counts
  const written = counts.written + generated
  return {
    records: { read, mapped: read - rejected - filtered, rejected, filtered },
    events: { made: written + duplicate, written, rejected: 0, duplicate, generated },
  }
}

/** True when nothing disappeared without a count. */
export function conserved(counts: Counts): boolean {
  const { read, written, rejected, filtered, duplicate, pending } = counts
  return read === written + rejected + filtered + duplicate + pending
}
