import type { ReportCommand } from '../../jobs/report/report-data.ts'
import { Code } from '../kit/code.tsx'
import { Section } from '../kit/section.tsx'
import { Some } from './some.tsx'

/** The commands that lead to the same result, in the order in which they are run. */
export function Commands({
  id,
  title,
  commands,
}: {
  id: string
  title: string
  commands: readonly ReportCommand[]
}) {
  return (
    <Section
      id={id}
      title={title}
      lead="These commands, in this order, lead to the same result. Keys are read from the environment and are not part of them."
    >
      <Some things={commands} most={60} one="command">
        {({ title, line }, at) => (
          <div key={at}>
            <h3>{title}</h3>
            <Code text={line.slice(0, 4000)} />
          </div>
        )}
      </Some>
    </Section>
  )
}
