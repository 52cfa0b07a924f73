const QUOTE = 0x22
const LF = 0x0a
const CANDIDATES = [',', '\t', ';', '|'] as const

/** How a text is divided, if it is a table. */
export interface Division {
  readonly delimiter: string
  /** True when several rows have the header's number of fields: without a telling name, that makes a table. */
  readonly regular: boolean
}

/** The delimiter that the header has most of, outside quotes; undefined when it has none of them. */
export function findDelimiter(head: Buffer): Division | undefined {
  const counts = CANDIDATES.map((delimiter) => ({
    delimiter,
    rows: countInRows(head, delimiter.charCodeAt(0)),
  }))
  const best = counts.reduce((most, next) => ((next.rows[0] ?? 0) > (most.rows[0] ?? 0) ? next : most))
  const [header = 0, ...others] = best.rows
  if (header === 0) return undefined
  return {
    delimiter: best.delimiter,
    regular: others.length > 0 && others.every((count) => count === header),
  }
}

/** How often a byte stands outside quotes in each whole row of the head. */
function countInRows(head: Buffer, byte: number): number[] {
  const rows: number[] = []
  let count = 0
  let start = 0
  let quoted = false
  for (let i = 0; i < head.length; i++) {
    if (head[i] === QUOTE) quoted = !quoted
    else if (quoted) continue
    else if (head[i] === byte) count++
    else if (head[i] === LF) {
      if (i - start > 1) rows.push(count)
      count = 0
      start = i + 1
    }
  }
  // A file of one line that has no end yet still has a header.
  return rows.length === 0 ? [count] : rows
}
