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

/** True when nothing disappeared without a count. */
export function conserved(counts: Counts): boolean {
  const { read, written, rejected, filtered, duplicate, pending } = counts
  return read === written + rejected + filtered + duplicate + pending
}
