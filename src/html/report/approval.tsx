import type { ApprovalPart } from '../../jobs/report/report-data.ts'
import { Code } from '../kit/code.tsx'
import { Section } from '../kit/section.tsx'

/** The text to send to PostHog where a migration is above the caps. */
export function Approval({ id, title, approval }: { id: string; title: string; approval: ApprovalPart }) {
  return (
    <Section
      id={id}
      title={title}
      lead="The text to send to PostHog before more is imported than is allowed to everyone."
    >
      <Code text={approval.text.slice(0, 20_000)} />
      {approval.notes.length > 0 && <p>{approval.notes.slice(0, 20).join(' ')}</p>}
    </Section>
  )
}
