import type { ComponentChildren } from 'preact'
import type { TopCounts } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { Name } from '../kit/parts.tsx'
import { BarList, type BarRow } from '../kit/table.tsx'

/** Rows that are seen at once; two more are not worth a fold. */
const SEEN = 10
const SLACK = 2

/** The first rows of a long list, and the others behind a line that opens them. No script is needed. */
export function FoldedPart<T>(props: {
  rows: readonly T[]
  /** What the folded rows are, after their number: `25 more properties`. */
  what: string
  children: (rows: readonly T[], isRest: boolean) => ComponentChildren
}) {
  const { rows, what, children } = props
  if (rows.length <= SEEN + SLACK) return <>{children(rows, false)}</>
  return (
    <>
      {children(rows.slice(0, SEEN), false)}
      <details class="more">
        <summary>
          {number(rows.length - SEEN)} more {what}
        </summary>
        {children(rows.slice(SEEN), true)}
      </details>
    </>
  )
}

/** The first of many things, each under its name if it has one, and how many more there are: a page has to end. */
export function Some<T>(props: {
  things: readonly T[]
  most: number
  /** What one of them is called. */
  one: string
  name?: (thing: T) => string
  children: (thing: T, at: number) => ComponentChildren
}) {
  const { things, most, one, name, children } = props
  const more = things.length - most
  return (
    <>
      {things.slice(0, most).map((thing, at) => (
        <div key={at}>
          {name && (
            <h3>
              <Name text={name(thing)} />
            </h3>
          )}
          {children(thing, at)}
        </div>
      ))}
      {more > 0 && <p class="soft">And {plural(more, `more ${one}`)}.</p>}
    </>
  )
}

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
