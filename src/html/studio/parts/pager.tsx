import type { StudioInput } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/index.ts'

/** Turns the pages of a table whose rows the server has; nothing for a table of one page. `what`: `names`. */
export function Pager(props: {
  what: string
  offset: number
  size: number
  total: number
  onOffset: (offset: number) => void
}) {
  const { what, offset, size, total, onOffset } = props
  if (total <= size) return null
  const turn = (to: number): void => {
    if (to >= 0 && to < total) onOffset(to)
  }
  return (
    <p class="record-steps">
      <button type="button" aria-disabled={offset === 0} onClick={() => turn(offset - size)}>
        Earlier<span class="unseen"> {what}</span>
      </button>
      <button type="button" aria-disabled={offset + size >= total} onClick={() => turn(offset + size)}>
        Later<span class="unseen"> {what}</span>
      </button>
      <span class="soft small">
        {number(offset + 1)} to {number(Math.min(offset + size, total))} of {number(total)} {what}
      </span>
    </p>
  )
}

/** A table's caption: how many rows a filter fits, of how many. `of`: the records that were read. */
export function countWords(what: string, { total, all }: { total: number; all: number }, of: string): string {
  return total === all ? `${plural(all, what)} in ${of}` : `${number(total)} of ${plural(all, what)} in ${of}`
}

/** What counts are of: `all 300 records`, or `a sample of 2,000 records`. */
export function sampleWords({ records, whole }: Pick<StudioInput, 'records' | 'whole'>): string {
  return whole ? `all ${plural(records, 'record')}` : `a sample of ${plural(records, 'record')}`
}
