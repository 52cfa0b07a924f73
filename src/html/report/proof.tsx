import type { ProofPart } from '../../jobs/report/report-data.ts'
import { number, plural } from '../../text/index.ts'
import { Code } from '../kit/code.tsx'
import { type Figure, Figures } from '../kit/figures.tsx'
import { HeatMap } from '../kit/heat-map.tsx'
import { Name } from '../kit/name.tsx'
import { Notice } from '../kit/notice.tsx'
import { Section } from '../kit/section.tsx'
import { TableView } from '../kit/table.tsx'
import { instant } from '../kit/words.ts'
import { FoldedPart } from './fold.tsx'

/** Rows of the map of squares. */
const MOST_NAMES = 40

/** What verify found: the whole in figures, every day and name as a square, the differences as a table. */
export function ProofSection({ id, title, proof }: { id: string; title: string; proof: ProofPart }) {
  const others = proof.otherNames === undefined ? 'all other names' : plural(proof.otherNames, 'other name')
  return (
    <Section
      id={id}
      title={title}
      lead={
        <>
          PostHog ({proof.host}, project <Name text={proof.project} />) was asked{' '}
          {instant(Date.parse(proof.askedAt))} what it holds of each day and event name. {methodOf(proof)}
        </>
      }
    >
      <Notice level={proof.isEqual ? 'good' : 'error'} title={verdictOf(proof)}>
        {proof.missingFile !== undefined && (
          <p>
            The missing events are in <Name text={proof.missingFile} most={120} />, ready to be imported.
          </p>
        )}
      </Notice>
      <Figures figures={figuresOf(proof)} />
      {proof.cells.length > 0 && (
        <HeatMap
          title="Every day and event name, here and in PostHog"
          meaning={`A square with a tick holds the same events in both places; any other sign asks for a look.${proof.names.length > MOST_NAMES ? ` The first ${MOST_NAMES} names.` : ''}`}
          cells={proof.cells}
          names={proof.names.slice(0, MOST_NAMES)}
          others={others}
        />
      )}
      {proof.differences.length > 0 && <Differences proof={proof} others={others} />}
      <Lines title="Likely why events are missing" lines={proof.causes} />
      <Lines
        title="PostHog warned of these: causes, never counts, and events of other senders are among them"
        lines={proof.warnings}
      />
      <Lines title="Some of it could not be asked" lines={proof.unasked} />
    </Section>
  )
}

function Lines({ title, lines }: { title: string; lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <Notice level="warning" title={title}>
      {lines.slice(0, 20).map((line) => (
        <Code key={line} text={line.slice(0, 500)} />
      ))}
    </Notice>
  )
}

function Differences({ proof, others }: { proof: ProofPart; others: string }) {
  const hasNames = proof.differences.some(
    ({ missing, unknown }) => missing !== undefined || unknown !== undefined,
  )
  const more =
    proof.moreDifferences > 0 ? ` The first ones; ${number(proof.moreDifferences)} more differ.` : ''
  return (
    <FoldedPart rows={proof.differences.slice(0, 200)} what="days and names that differ">
      {(rows) => (
        <TableView
          caption={`Days and names that differ: events here, and events in PostHog.${more}`}
          columns={[
            { label: 'day' },
            { label: 'name' },
            { label: 'here', align: 'right' },
            { label: 'PostHog', align: 'right' },
            ...(hasNames
              ? ([
                  { label: 'missing there', align: 'right' },
                  { label: 'only there', align: 'right' },
                ] as const)
              : []),
          ]}
          rows={rows.map(({ day, name, here, there, missing, unknown }) => [
            day,
            name === null ? others : name,
            here,
            there,
            missing ?? '–',
            unknown ?? '–',
          ])}
        />
      )}
    </FoldedPart>
  )
}

function verdictOf({ isEqual, here, there, proof, doubled }: ProofPart): string {
  if (doubled && here === there)
    return `PostHog has ${plural(doubled, 'event')} more than once, under another time of the same day.`
  if (!isEqual) return `PostHog does not hold the same events: ${number(here)} here, ${number(there)} there.`
  return proof === 'fingerprints'
    ? `PostHog holds these ${number(here)} events, every one of them.`
    : `PostHog holds as many events: ${number(here)}.`
}

function methodOf({ proof }: ProofPart): string {
  return proof === 'fingerprints'
    ? 'Counts and fingerprints of the event ids were compared, so that one event in the place of another is noticed.'
    : 'Counts were compared; that the events are the same ones was not asked.'
}

function figuresOf({ here, there, missing, unknown, states, values }: ProofPart): Figure[] {
  const cells = Object.values(states).reduce((sum, count) => sum + count, 0)
  const figures: Figure[] = [
    { label: 'Events here', value: here, meaning: 'What the datasets hold.' },
    {
      label: 'Events in PostHog',
      value: there,
      meaning: 'What the project holds of the same days and names.',
      level: there === here ? 'good' : 'warning',
    },
    {
      label: 'Days and names alike',
      value: states.same,
      meaning: `Of ${number(cells)}: both places hold the same events of that day and name.`,
      level: states.same === cells ? 'good' : 'warning',
    },
  ]
  if (missing !== undefined) {
    figures.push({
      label: 'Missing in PostHog',
      value: missing,
      meaning: 'Events that are here and not there.',
      level: missing === 0 ? 'good' : 'error',
    })
  }
  if (unknown !== undefined && unknown > 0) {
    figures.push({
      label: 'Only in PostHog',
      value: unknown,
      meaning: 'Events that came from elsewhere.',
      level: 'note',
    })
  }
  if (values !== undefined) {
    const wrong = values.absent + values.changed
    figures.push({
      label: 'Values compared',
      value: values.compared,
      meaning: `Of a sample of events, value by value: ${number(values.changed)} changed, ${number(values.absent)} absent.`,
      level: wrong === 0 ? 'good' : 'error',
    })
  }
  return figures
}
