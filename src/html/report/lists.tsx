import type { ComponentChildren } from 'preact'
import type { TopCounts } from '../../commands/report/report-data.ts'
import { plural } from '../../text/words.ts'
import { Name } from '../kit/parts.tsx'
import { LongTable, right } from '../kit/table.tsx'
import { percent } from '../kit/words.ts'

/** The first of many things, each under its name if it has one, and how many more there are: a page has to end. */
export function Some<T>(props: {
  things: readonly T[]
  most: number
  /** What one of them is called. */
  one: string
  name?: (thing: T) => string
  children: (thing: T) => ComponentChildren
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
          {children(thing)}
        </div>
      ))}
      {more > 0 && <p class="soft">And {plural(more, `more ${one}`)}.</p>}
    </>
  )
}

/** Counts by name, and how much of the whole each is. */
export function TopCountsList(props: { caption: string; label: string; counts: TopCounts; unit: string }) {
  const { top, others, otherNames } = props.counts
  const all = top.reduce((sum, { count }) => sum + count, others)
  const row = (label: ComponentChildren, count: number) => [label, count, percent(count / all)]
  const rows = top.map(({ name, count }) => row(name, count))
  if (otherNames > 0) rows.push(row(<em>{plural(otherNames, 'other name')}</em>, others))
  return (
    <LongTable
      what="rows"
      caption={props.caption}
      columns={[{ label: props.label }, right(props.unit), right('share')]}
      rows={rows}
    />
  )
}
