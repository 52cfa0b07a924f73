import { hiddenText } from '../../checks/words/of-service.ts'
import { causeText, tellingOf, warningText } from '../../checks/words/warnings.ts'
import { MOST_DIFFERENCES } from '../../commands/report/report-data.ts'
import type { SavedVerdict, Verified } from '../../imports/verified.ts'
import { number, plural } from '../../text/words.ts'
import { Code, FactList, Name, Notice } from '../kit/parts.tsx'
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

/** What verify found, and the differences as a table. */
export function ProofSection({ proof }: { proof: SavedVerdict }) {
  const warnings = proof.ingestion_warnings
  const unasked = warnings?.unasked == null ? [] : [`ingestion warnings: ${warnings.unasked}`]
  return (
    <>
      <FactList facts={factsOf(proof)} />
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

/** What the figures at the top of the page do not say. */
function factsOf({ events: { missing, unknown }, missing_file: file, values }: SavedVerdict) {
  return [
    ['Missing in PostHog', missing !== null && plural(missing, 'event')],
    ['They are in', file !== null && `${file}, ready to be imported`],
    ['Only in PostHog', !!unknown && `${plural(unknown, 'event')}, which came from elsewhere`],
    [
      'Values compared',
      values &&
        `of ${plural(values.compared, 'event')}: ${number(values.changed)} changed, ${number(values.absent)} absent`,
    ],
  ] as const
}

/** Whether ids that belong together lead to one person, and groups to what they are. */
function Persons({ proof: { persons } }: { proof: SavedVerdict }) {
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
