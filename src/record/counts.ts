/** Where every record of a run ended; `read` is always the sum of the other five (promise 1). */
export interface Counts {
  read: number
  written: number
  rejected: number
  filtered: number
  duplicate: number
  pending: number
  /** Of `written`: sent, without an answer that says whether they are stored. The others were acknowledged. */
  unconfirmed?: number
}

export function zeroCounts(): Counts {
  return { read: 0, written: 0, rejected: 0, filtered: 0, duplicate: 0, pending: 0 }
}

/** Where every record of a transform ended, and what it made besides. */
export interface MadeCounts extends Counts {
  earlier: number
  /** Events that were made of several records: no record is counted for them. */
  generated: number
}

/** Where records ended that become several events each: `read` is the sum of the other three. */
export interface RecordCounts {
  read: number
  /** Records whose children were read, each for itself. */
  mapped: number
  rejected: number
  filtered: number
}

/** The sums of counts of the same names, and with -1 their differences. */
export function added<Counts extends object>(a: Counts, b: Counts, sign: 1 | -1 = 1): Counts {
  const [to, by] = [a, b] as Readonly<Record<string, number>>[]
  return Object.fromEntries(Object.keys(b).map((name) => [name, to![name]! + sign * by![name]!])) as Counts
}

/** The sum; null stands for records that become one event each. */
export function addRecords(a: RecordCounts | null, b: RecordCounts | null): RecordCounts | null {
  return a && b ? added(a, b) : (a ?? b)
}

/**
 * The same, with records and events apart. `records` are those that became several events each: `counts` then count
 * their children, and the records that have none to count. Null when a record becomes one event.
 */
export function recordsAndEvents(counts: Readonly<MadeCounts>, records: RecordCounts | null) {
  const { read, rejected, filtered, duplicate, earlier, pending, generated } = counts
  const written = counts.written + generated
  const own = records ?? { read, mapped: read - rejected - filtered, rejected, filtered }
  const refused = rejected - own.rejected
  // Those of mapped records: each was made an event, or left out on purpose.
  const children = records && {
    read: read - records.rejected - records.filtered,
    filtered: filtered - records.filtered,
  }
  return {
    records: own,
    children,
    events: {
      made: written + refused + duplicate + earlier + pending,
      written,
      rejected: refused,
      duplicate,
      earlier,
      pending,
      generated,
    },
  }
}

/** True when nothing disappeared without a count. */
export function conserved(counts: Counts & Partial<Pick<MadeCounts, 'earlier'>>): boolean {
  const { read, written, rejected, filtered, duplicate, pending, earlier = 0, unconfirmed = 0 } = counts
  return unconfirmed <= written && read === written + rejected + filtered + duplicate + earlier + pending
}
