import type { ComponentChildren, VNode } from 'preact'
import type { CountRow, CountsPart, ReportData } from '../../commands/report/report-data.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { Figures, Name, Notice } from '../kit/parts.tsx'
import { LongTable, right } from '../kit/table.tsx'
import { instant } from '../kit/words.ts'
import { LeftOutOfInput, leftOutOf, Rejected } from './left-out.tsx'
import { Some } from './lists.tsx'
import { Moved } from './moved.tsx'
import { ProofSection, proofLead } from './proof.tsx'

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
          Made {instant(Date.parse(data.madeAt))} by {data.tool}. All days and times are UTC.
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
      {parts.map(({ id, title, lead, content }) => (
        <section key={id} class="section" id={id} aria-labelledby={`${id}-title`}>
          <h2 id={`${id}-title`}>{title}</h2>
          <p class="soft">{lead}</p>
          {content}
        </section>
      ))}
    </main>
  )
}

/** A part of the page under a heading. `lead` says in a sentence what it shows. */
interface Part {
  readonly id: string
  readonly title: string
  readonly lead: ComponentChildren
  readonly content: VNode
}

function partsOf(data: ReportData): Part[] {
  const { datasets, imports, rejects, proof, missing, reduced, counts } = data
  const leftOut = leftOutOf(data)
  const parts: readonly (Part | false | undefined)[] = [
    datasets.length + imports.length > 0 && {
      id: 'moved',
      title: 'What was moved',
      lead: 'Where the history came from, which version and which rules made events of it, and where they were sent.',
      content: <Moved datasets={datasets} imports={imports} proof={proof} />,
    },
    proof && {
      id: 'proof',
      title: 'Whether it all arrived',
      lead: proofLead(proof),
      content: <ProofSection proof={proof.found} />,
    },
    counts && {
      id: 'counts',
      title: 'Count by count',
      lead: "The same history at each place of its way: what the vendor counts, what was exported, what became of it, and what PostHog has. Rows in which two numbers should be the same and aren't come first, with ≠.",
      content: <CountsSection counts={counts} />,
    },
    leftOut.length > 0 && {
      id: 'left-out',
      title: 'What was left out',
      lead: 'Nothing is left out in silence: each record and each part of a record that did not go along is counted here, with the rule that left it out.',
      content: (
        <Some things={leftOut} most={12} one="input" name={({ input }) => input}>
          {(part) => <LeftOutOfInput part={part} />}
        </Some>
      ),
    },
    rejects.length > 0 && {
      id: 'rejects',
      title: 'What could not be taken',
      lead: "A record that can't become an event, or that PostHog refuses, is kept with its reason. Once mended it can be taken in: transform and import say how.",
      content: (
        <Some things={rejects} most={12} one="input" name={({ input }) => input}>
          {(part) => <Rejected part={part} />}
        </Some>
      ),
    },
    missing.length + reduced.length > 0 && {
      id: 'limits',
      title: 'What this page does not show',
      lead: "So that a gap on this page isn't taken for a zero.",
      content: (
        <ul>
          {[...missing, ...reduced].slice(0, 100).map((line) => (
            <li key={line}>{visible(line.slice(0, 1000))}</li>
          ))}
        </ul>
      ),
    },
  ]
  return parts.filter((part) => part !== false && part !== undefined)
}

const COLUMNS = [
  ['vendor', 'vendor counts'],
  ['counted', 'of these exported'],
  ['exported', 'records'],
  ['made', 'events made'],
  ['rejected', 'rejected'],
  ['filtered', 'filtered'],
  ['duplicates', 'duplicates'],
  ['there', 'in PostHog'],
] as const

/** The same history at each place of its way, by day and by name, what differs first. */
function CountsSection({ counts }: { counts: CountsPart }) {
  const { vendor = 'the vendor', sentences, unknown, days, names } = counts
  return (
    <>
      {sentences.length === 0 && <p>All numbers that are known add up.</p>}
      <ul>
        {[...sentences, ...unknown].map((line) => (
          <li key={line}>
            <Name text={line} most={600} />
          </li>
        ))}
      </ul>
      <Rows rows={days} one="day" caption={`By day: what ${vendor} counts, and what became of it.`} />
      {names.length > 0 && (
        <Rows
          rows={names}
          one="name"
          caption="By the name that the source gives. An empty column of PostHog: several names became one, or one became several."
        />
      )}
    </>
  )
}

/** Rows of each table: those that differ, and then others. */
const MOST_ROWS = 200

function Rows(props: { rows: readonly CountRow[]; one: string; caption: string }) {
  const { rows, one, caption } = props
  const others = rows.length - MOST_ROWS
  return (
    <>
      <LongTable
        what={`${one}s`}
        caption={caption}
        columns={[{ label: one }, ...COLUMNS.map(([, label]) => right(label))]}
        rows={rows.slice(0, MOST_ROWS).map((row) => [
          <>
            {row.differs && '≠ '}
            {row.name === null ? <em class="soft">not known</em> : <Name text={row.name} most={80} />}
          </>,
          ...COLUMNS.map(([column]) => (row[column] === undefined ? null : number(row[column]))),
        ])}
      />
      {others > 0 && <p class="soft">And {plural(others, `more ${one}`)}.</p>}
    </>
  )
}
