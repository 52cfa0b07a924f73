import { visible } from '../../text/visible.ts'
import { Section } from '../kit/section.tsx'

/** What could not be found or asked, and what was made smaller. */
export function Limits(props: {
  id: string
  title: string
  missing: readonly string[]
  reduced: readonly string[]
}) {
  return (
    <Section id={props.id} title={props.title} lead="So that nobody takes what is absent for nothing.">
      <ul>
        {[...props.missing, ...props.reduced].slice(0, 100).map((line) => (
          <li key={line}>{visible(line.slice(0, 1000))}</li>
        ))}
      </ul>
    </Section>
  )
}
