import type { ComponentChildren } from 'preact'
import { plural } from '../../text/index.ts'

/** The first of many things, and how many more there are: a page has to end. */
export function Some<T>(props: {
  things: readonly T[]
  most: number
  /** What one of them is called. */
  one: string
  children: (thing: T, at: number) => ComponentChildren
}) {
  const more = props.things.length - props.most
  return (
    <>
      {props.things.slice(0, props.most).map(props.children)}
      {more > 0 && <p class="soft">And {plural(more, `more ${props.one}`)}.</p>}
    </>
  )
}
