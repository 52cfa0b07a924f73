import type { ComponentChildren } from 'preact'

/** A part of a page under a heading. `lead` says in a sentence what it shows. */
export function Section(props: {
  id: string
  title: string
  lead?: ComponentChildren
  children?: ComponentChildren
}) {
  return (
    <section class="section" id={props.id} aria-labelledby={`${props.id}-title`}>
      <h2 id={`${props.id}-title`}>{props.title}</h2>
      {props.lead !== undefined && <p class="lead">{props.lead}</p>}
      {props.children}
    </section>
  )
}
