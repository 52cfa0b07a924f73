import type { ComponentChildren } from 'preact'
import { number } from '../../text/index.ts'

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
