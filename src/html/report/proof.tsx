import { hiddenText } from '../../checks/words/of-service.ts'
import { causeText, tellingOf, warningText } from '../../checks/words/warnings.ts'
import { MOST_DIFFERENCES } from '../../commands/report/report-data.ts'
import type { SavedVerdict, Verified } from '../../imports/verified.ts'
import { number, plural } from '../../text/words.ts'
import { Code, FactList, type Figure, Figures, Name, Notice } from '../kit/parts.tsx'
import { LongTable, right, TableView } from '../kit/table.tsx'
import { instant } from '../kit/words.ts'

/** Who was asked what and when, and how it was compared. */
export function proofLead({ host, project, asked_at: at }: Verified) {
  return (
    <>
      PostHog ({host}, project <Name text={project} />) was asked {instant(Date.parse(at))} what it holds of
      each day and event name. Counts and fingerprints of the event ids were compared, so that one event in
      the place of another is noticed.
    </>
  )
}

/** What verify found: the whole in figures, and the differences as a table. */
export function ProofSection({ proof }: { proof: SavedVerdict }) {
  const warnings = proof.ingestion_warnings
  const unasked = warnings?.unasked == null ? [] : [`ingestion warnings: ${warnings.unasked}`]
  return (
    <>
      <Notice level={proof.equal ? 'good' : 'error'} title={verdictOf(proof)}>
        {proof.missing_file !== null && (
          <p>
            The missing events are in <Name text={proof.missing_file} most={120} />, ready to be imported.
          </p>
        )}
      </Notice>
      <Figures figures={figuresOf(proof)} />
      {proof.hidden && <Notice level="note" title={`${hiddenText(proof.hidden)}.`} />}
      {proof.differences.length > 0 && <Differences proof={proof} />}
      <Persons proof={proof} />
      <Lines title="Likely why events are missing" lines={proof.likely_causes.map(causeText)} />
      <Lines
        title="PostHog warned of these: causes, never counts, and events of other senders are among them"
        lines={tellingOf(warnings?.types ?? []).map(warningText)}
      />
      <Lines title="Some of it could not be asked" lines={[...proof.unasked, ...unasked]} />
    </>
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

function Differences({ proof }: { proof: SavedVerdict }) {
  const others = proof.differences.length - MOST_DIFFERENCES
  const more = others > 0 ? ` The first ones; ${number(others)} more differ.` : ''
  return (
    <LongTable
      what="days and names that differ"
      caption={`Days and names that differ: events here, and events in PostHog.${more}`}
      columns={[
        { label: 'day' },
        { label: 'name' },
        ...['here', 'PostHog', 'missing there', 'only there', 'other time'].map(right),
      ]}
      rows={proof.differences
        .slice(0, MOST_DIFFERENCES)
        .map(({ day, event, here, service, missing, unknown, moved }) => [
          day,
          event ?? 'all other names',
          here,
          service,
          missing ?? '–',
          unknown ?? '–',
          moved ?? '–',
        ])}
    />
  )
}

function verdictOf({ equal, differences, events: { here, service: there, doubled } }: SavedVerdict): string {
  if (doubled && here === there)
    return `PostHog has ${plural(doubled, 'event')} more than once, under another time of the same day.`
  if (!equal && here + differences.length === 0) return 'No event could be compared.'
  if (!equal) return `PostHog does not hold the same events: ${number(here)} here, ${number(there)} there.`
  return `PostHog holds these ${number(here)} events, every one of them.`
}

function figuresOf({ events, differences, values }: SavedVerdict): Figure[] {
  const { here, service: there, missing, unknown } = events
  const differ = differences.length
  return [
    { label: 'Events here', value: here, meaning: 'What the datasets hold.' },
    {
      label: 'Events in PostHog',
      value: there,
      meaning: 'What the project holds of the same days and names.',
      level: there === here ? 'good' : 'warning',
    },
    {
      label: 'Days and names that differ',
      value: differ,
      meaning: 'Days of a name on which the two places do not hold the same events.',
      level: differ === 0 ? 'good' : 'warning',
    },
    {
      label: 'Missing in PostHog',
      value: missing ?? undefined,
      meaning: 'Events that are here and not there.',
      level: missing === 0 ? 'good' : 'error',
    },
    {
      label: 'Only in PostHog',
      value: unknown || undefined,
      meaning: 'Events that came from elsewhere.',
      level: 'note',
    },
    {
      label: 'Values compared',
      value: values?.compared,
      meaning: `Of a sample of events, value by value: ${number(values?.changed ?? 0)} changed, ${number(values?.absent ?? 0)} absent.`,
      level: values && values.absent + values.changed > 0 ? 'error' : 'good',
    },
  ]
}

/** Whether ids that belong together lead to one person, and groups to what they are. */
function Persons({ proof: { persons, put_right } }: { proof: SavedVerdict }) {
  if (persons === null) return null
  const { distinct_ids: ids, merges, groups } = persons
  const apart = merges.apart.length
  return (
    <>
      <FactList
        facts={[
          [
            'Distinct ids, about',
            `${number(ids.here ?? ids.service)} here, ${number(ids.service)} in PostHog`,
          ],
          ['Persons in PostHog', `${number(persons.persons)}, which these ids come to once they are merged`],
          [
            'Merges',
            `${plural(merges.events, 'event')}; of ${number(merges.asked)} that were looked up ${apart === 0 ? 'all lead to one person each' : `${number(apart)} did not lead to one person`}`,
          ],
          [
            'Persons put right',
            put_right &&
              `${number(put_right.persons)}, which the project had with newer properties; ${number(put_right.equal)} of them are as they should be`,
          ],
        ]}
      />
      {groups.length > 0 && (
        <TableView
          caption="Groups, such as companies, by type: events here and in PostHog that name a group, and how many groups these are."
          columns={[{ label: 'type' }, ...['events here', 'events in PostHog', 'groups'].map(right)]}
          rows={groups
            .slice(0, 20)
            .map(({ type, events, keys }) => [type, events.here ?? '–', events.service, keys.service])}
        />
      )}
    </>
  )
}
