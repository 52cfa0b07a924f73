import { cutTo, width } from '../text/visible.ts'

/** Columns of the bar itself, on a usual terminal and on one of few columns. */
const WIDE = 16
const NARROW = 8

/** What the line of a bar shows. */
interface BarState {
  readonly label: string
  /** From 0 to 1. */
  readonly share: number
  /** Such as `1,740 events, 900/s, 2 h 3 min left`: the last of them, then the first, are what a user looks for. */
  readonly words: string
}

/** The line of a bar, in at most `columns` columns: first the bar gets shorter, then words are left out, at last the bar. */
export function barLine({ label, share, words }: BarState, columns: number): string {
  const percent = `${Math.floor(share * 100)}%`
  const said = words.split(', ')
  const first = said.slice(0, 1)
  const last = said.slice(-1)
  const ends = [...new Set([...first, ...last])].join(', ')
  for (const [cells, text] of [
    [WIDE, words],
    [NARROW, words],
    [NARROW, ends],
    [NARROW, last[0]!],
    [0, last[0]!],
  ] as const) {
    const bar = cells === 0 ? [] : [cellsOf(share, cells)]
    const line = [label, ...bar, percent, text].join(' ')
    // A terminal may wrap a line that ends in its last column.
    if (width(line) < columns) return line
  }
  return cutTo(`${label} ${percent}`, Math.max(1, columns - 1))
}

function cellsOf(share: number, cells: number): string {
  const full = Math.round(share * cells)
  return '█'.repeat(full) + '░'.repeat(cells - full)
}
