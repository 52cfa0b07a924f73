import type { ReportProblem } from '../../jobs/report/report-data.ts'
import { plural } from '../../text/words.ts'
import { Code } from '../kit/code.tsx'
import { Notice } from '../kit/notice.tsx'
import { Section } from '../kit/section.tsx'
import { Some } from './some.tsx'

/** What check found and what it asks for, in its order. */
export function Problems(props: { id: string; title: string; problems: readonly ReportProblem[] }) {
  const count = (level: string) => props.problems.filter((problem) => problem.level === level).length
  const counts = `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(count('note'), 'note')}`
  return (
    <Section
      id={props.id}
      title={props.title}
      lead={`${counts}. An error stops the migration or spoils it, a warning wants a decision, a note is good to know.`}
    >
      <Some things={props.problems} most={100} one="finding">
        {({ level, title, count, example, remedy = [] }, at) => (
          <Notice
            key={at}
            level={level}
            title={
              count === undefined ? (
                title
              ) : (
                <>
                  {title} ({plural(count, 'time')})
                </>
              )
            }
          >
            {example !== undefined && (
              <>
                <p class="small soft">For example:</p>
                <Code text={example.slice(0, 1000)} />
              </>
            )}
            {remedy.slice(0, 20).map((line) => (
              <p key={line}>{line.slice(0, 1000)}</p>
            ))}
          </Notice>
        )}
      </Some>
    </Section>
  )
}
