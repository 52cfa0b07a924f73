import type { TopCounts } from '../../jobs/report/report-data.ts'
import { number, plural } from '../../text/index.ts'
import { BarList, type BarRow } from '../kit/bar-list.tsx'
import { Name } from '../kit/name.tsx'
import { FoldedPart } from './fold.tsx'

/** Counts by name as bars: how much of the whole each is. */
export function TopCountsList(props: { caption: string; label: string; counts: TopCounts; unit: string }) {
  const { top, others, otherNames } = props.counts
  const all = top.reduce((sum, { count }) => sum + count, others)
  const row = (label: BarRow['label'], count: number): BarRow => ({
    label,
    share: all === 0 ? 0 : count / all,
    text: number(count),
  })
  const rows = top.map(({ name, count }) => row(<Name text={name} />, count))
  if (otherNames > 0) rows.push(row(<em>{plural(otherNames, 'other name')}</em>, others))
  return (
    <FoldedPart rows={rows} what="rows">
      {(some, isRest) => (
        <BarList
          caption={isRest ? `${props.caption} The others.` : props.caption}
          columns={{ label: props.label, share: props.unit }}
          rows={some}
        />
      )}
    </FoldedPart>
  )
}
