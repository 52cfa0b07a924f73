import type { VNode } from 'preact'
import type { Finding } from '../../checks/finding.ts'
import type { ApprovalPart, ReportCommand, ReportData } from '../../jobs/report/report-data.ts'
import { plural, visible } from '../../text/index.ts'
import { Code } from '../kit/code.tsx'
import { Figures } from '../kit/figures.tsx'
import { Name } from '../kit/name.tsx'
import { Notice } from '../kit/notice.tsx'
import { Section } from '../kit/section.tsx'
import { instant } from '../kit/words.ts'
import { Days } from './days.tsx'
import { FillSection } from './fill.tsx'
import { LeftOutSection } from './left-out.tsx'
import { Moved } from './moved.tsx'
import { PaceSection } from './pace.tsx'
import { PeopleSection } from './people.tsx'
import { ProofSection } from './proof.tsx'
import { RejectsSection } from './rejects.tsx'
import { Some } from './some.tsx'

/** What check found and what it asks for, in its order. */
function Problems(props: { id: string; title: string; problems: readonly Finding[] }) {
  const count = (level: string) => props.problems.filter((problem) => problem.level === level).length
  const counts = `${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}, ${plural(count('note'), 'note')}`
  return (
    <Section
      id={props.id}
      title={props.title}
      lead={`${counts}. An error stops the migration or spoils it, a warning wants a decision, a note is good to know.`}
    >
      <Some things={props.problems} most={100} one="finding">
        {({ level, text, count, example, remedy }, at) => (
          <Notice
            key={at}
            level={level === 'ok' ? 'good' : level}
            title={
              count === undefined ? (
                text
              ) : (
                <>
                  {text} ({plural(count, 'time')})
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
            {remedy !== undefined && <p>{remedy.slice(0, 1000)}</p>}
          </Notice>
        )}
      </Some>
    </Section>
  )
}

/** The commands that lead to the same result, in the order in which they are run. */
function Commands({
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

/** What could not be found or asked, and what was made smaller. */
function Limits(props: {
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

/** The text to send to PostHog where a migration is above the caps. */
function Approval({ id, title, approval }: { id: string; title: string; approval: ApprovalPart }) {
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

interface Part {
  readonly id: string
  readonly title: string
  readonly content: VNode
}

/** First what was moved, whether it is proven and what was left out, then the detail. */
export function ReportPage({ data }: { data: ReportData }) {
  const parts = partsOf(data)
  return (
    <main class="report">
      <header>
        <h1>
          <Name text={data.title} most={120} />
        </h1>
        <p class="soft">
          Made {instant(Date.parse(data.madeAt))} by {data.tool} (<code>posthaul {data.command}</code>). All
          days and times are UTC.
        </p>
        <p class="soft on-paper">
          Long lists, examples and tables of numbers are folded on paper: the HTML file has all of them.
        </p>
        {data.verdict !== undefined && (
          <Notice level={data.verdict.level} title={data.verdict.title}>
            {data.verdict.text !== undefined && <p>{data.verdict.text}</p>}
          </Notice>
        )}
        {data.figures.length > 0 && <Figures figures={data.figures} />}
      </header>
      {parts.length > 1 && (
        <nav aria-label="On this page">
          <ol class="contents">
            {parts.map(({ id, title }) => (
              <li key={id}>
                <a href={`#${id}`}>{title}</a>
              </li>
            ))}
          </ol>
        </nav>
      )}
      {parts.map(({ content }) => content)}
    </main>
  )
}

function partsOf(data: ReportData): Part[] {
  const {
    datasets = [],
    imports = [],
    target,
    days = [],
    people,
    fill = [],
    rejects = [],
    leftOut = [],
  } = data
  const { proof, pace = [], problems = [], approval, commands = [], missing, reduced } = data
  const parts: Part[] = []
  const add = (
    isThere: unknown,
    id: string,
    title: string,
    content: (head: { id: string; title: string }) => VNode,
  ) => {
    if (isThere) parts.push({ id, title, content: content({ id, title }) })
  }
  const addProblems = () =>
    add(problems.length, 'problems', 'What check found', (head) => <Problems {...head} problems={problems} />)
  // Those who asked for a check look for its answer first.
  if (data.command === 'check') addProblems()
  add(datasets.length || imports.length || target, 'moved', 'What was moved', (head) => (
    <Moved {...head} datasets={datasets} imports={imports} target={target} />
  ))
  add(proof, 'proof', 'Whether it all arrived', (head) => <ProofSection {...head} proof={proof!} />)
  if (data.command !== 'check') addProblems()
  add(leftOut.length, 'left-out', 'What was left out', (head) => <LeftOutSection {...head} parts={leftOut} />)
  add(rejects.length, 'rejects', 'What could not be taken', (head) => (
    <RejectsSection {...head} parts={rejects} />
  ))
  add(days.length, 'days', 'Events by day', (head) => <Days {...head} parts={days} />)
  add(people, 'people', 'People and groups', (head) => <PeopleSection {...head} people={people!} />)
  add(fill.length, 'fill', 'Properties before and after', (head) => <FillSection {...head} parts={fill} />)
  add(pace.length, 'pace', 'Pace of the import', (head) => <PaceSection {...head} parts={pace} />)
  add(approval, 'approval', 'Request for approval', (head) => <Approval {...head} approval={approval!} />)
  add(commands.length, 'commands', 'How to do it again', (head) => <Commands {...head} commands={commands} />)
  add(missing.length + reduced.length, 'limits', 'What this page does not show', (head) => (
    <Limits {...head} missing={missing} reduced={reduced} />
  ))
  return parts
}
