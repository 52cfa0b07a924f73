import type { ComponentChildren } from 'preact'
import { mostFirst, plural } from '../../text/words.ts'
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

/** Rows of a list that a page shows. */
export const MOST_ROWS = 60

/** Counts by name, most first, and how much of the whole each is. `besides`: counts of names that are not told apart. */
export function Tally(props: {
  caption: string
  label: string
  unit: string
  counts: Readonly<Record<string, number>>
  besides?: number
}) {
  const rows = mostFirst(Object.entries(props.counts))
  if (rows.length === 0) return null
  const all = rows.reduce((sum, [, count]) => sum + count, props.besides ?? 0)
  const shown = rows.slice(0, MOST_ROWS)
  const others = all - shown.reduce((sum, [, count]) => sum + count, 0)
  const row = (label: ComponentChildren, count: number) => [label, count, percent(count / all)]
  return (
    <LongTable
      what="rows"
      caption={props.caption}
      columns={[{ label: props.label }, right(props.unit), right('share')]}
      rows={[
        ...shown.map(([name, count]) => row(name, count)),
        ...(others > 0
          ? [row(<em>{plural(Math.max(1, rows.length - MOST_ROWS), 'other name')}</em>, others)]
          : []),
      ]}
    />
  )
}
