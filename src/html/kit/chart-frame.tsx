import type { ComponentChildren } from 'preact'

export const PLOT_HEIGHT = 200

/** What every chart has: a title, a sentence that says what it shows, the drawing, and the same numbers as a table. */
export function ChartFrame(props: {
  title: ComponentChildren
  meaning?: ComponentChildren
  children?: ComponentChildren
  /** The numbers as a table, closed at first. */
  table?: ComponentChildren
}) {
  return (
    <figure class="chart">
      <figcaption>
        <p class="title">{props.title}</p>
        {props.meaning !== undefined && <p>{props.meaning}</p>}
      </figcaption>
      {props.children}
      {props.table !== undefined && (
        <details>
          <summary>The numbers as a table</summary>
          {props.table}
        </details>
      )}
    </figure>
  )
}
