import { mostFirst } from '../../text/words.ts'
import type { NamedCount, TopCounts } from './report-data.ts'

/** Characters of a name, and of a record that is shown as an example. */
const NAME_CHARS = 200
export const EXAMPLE_CHARS = 500

/** Rows of a list that a page shows. */
export const MOST_ROWS = 60

/** Text of at most `most` characters, with an ellipsis if some were cut. Never half of a surrogate pair. */
export function cutText(text: string, most: number = NAME_CHARS): string {
  if (text.length <= most) return text
  const head = text.slice(0, most - 1)
  return `${/[\ud800-\udbff]$/.test(head) ? head.slice(0, -1) : head}…`
}

/** What each name is called on the page. Two long names that begin alike stay apart. */
export function boundLabels(names: Iterable<string>): Map<string, string> {
  const labels = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of names) {
    const cut = cutText(name)
    let label = cut
    for (let n = 2; taken.has(label); n++) label = `${cut} (${n})`
    taken.add(label)
    labels.set(name, label)
  }
  return labels
}

/** The most frequent names, first the one that has most. The sums are exact: `besides` are of names not told apart. */
export function topOf(counts: Readonly<Record<string, number>>, most: number, besides = 0): TopCounts {
  const rows = mostFirst(Object.entries(counts))
  const labels = boundLabels(rows.slice(0, most).map(([name]) => name))
  const top = rows.slice(0, most).map(([name, count]): NamedCount => ({ name: labels.get(name)!, count }))
  const others = rows.slice(most).reduce((sum, [, count]) => sum + count, besides)
  return { top, otherNames: Math.max(0, rows.length - most), others }
}
