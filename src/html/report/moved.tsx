import type { DatasetPart, ImportPart, TargetPart } from '../../commands/report/report-data.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { Code, FactList, Name } from '../kit/parts.tsx'
import { instant, percent } from '../kit/words.ts'
import { Some, TopCountsList } from './lists.tsx'

/** Where the data came from, which version and rules made it, and where it went. */
export function Moved(props: {
  datasets: readonly DatasetPart[]
  imports: readonly ImportPart[]
  target: TargetPart | undefined
}) {
  const { datasets, imports, target } = props
  return (
    <>
      {target !== undefined && (
        <FactList
          facts={[
            ['Sent to', target.host],
            ['Project', target.project],
          ]}
        />
      )}
      <Some things={datasets} most={12} one="dataset">
        {(dataset) => <Dataset dataset={dataset} />}
      </Some>
      <Some things={imports} most={12} one="import">
        {(one) => <Import one={one} />}
      </Some>
    </>
  )
}

/** What members of a manifest's `source` are called for people; others keep their name. */
const SOURCE_WORDS: ReadonlyMap<string, string> = new Map([
  ['preset', 'Preset'],
  ['inputs', 'Made from'],
  ['rules_sha256', 'Rules (sha256)'],
  ['mapping_sha256', 'Mapping file (sha256)'],
])

function Dataset({ dataset }: { dataset: DatasetPart }) {
  const { records, events, source, mapping, names, trial } = dataset
  const kind = dataset.kind === 'raw' ? 'Records as the source gave them' : 'Events ready to be sent'
  return (
    <>
      <h3>
        {kind}: <Name text={dataset.name} />
      </h3>
      <FactList
        facts={[
          ['Made', `${instant(Date.parse(dataset.created_at))} by ${dataset.tool}`],
          ['Days', dataset.first && `${dataset.first} to ${dataset.last ?? dataset.first}`],
          // gather.ts tells of each that differs among what the page does not show.
          [
            'Size',
            `${plural(dataset.parts, 'part')}, ${bytes(dataset.bytes)}; the files are compared with the manifest by name and size`,
          ],
          ['Rules', dataset.rules],
          ['Records', recordsText(records)],
          ['Events', events && eventsText(events)],
          [
            'A trial',
            trial &&
              `${plural(trial.people, 'person', 'people')}, of ${plural(trial.whole_events, 'event')} in all`,
          ],
          ['Named in PostHog by', dataset.importIds?.slice(0, 10).join(', ')],
          ...source.slice(0, 20).map(({ name, value }) => [SOURCE_WORDS.get(name) ?? name, value] as const),
        ]}
      />
      {names !== undefined && names.top.length > 0 && (
        <TopCountsList
          caption="Events by name: how much of this dataset each is."
          label="event"
          unit="events"
          counts={names}
        />
      )}
      {mapping !== undefined && (
        <details class="mapping">
          <summary>
            The mapping file <Name text={mapping.path} />
            {mapping.isCut ? ', its beginning' : ''}
          </summary>
          <Code text={mapping.text.slice(0, 20_000)} />
        </details>
      )}
    </>
  )
}

function deliveredText({ counts: { delivered }, unconfirmed }: ImportPart): string {
  if (unconfirmed === 0) return `${plural(delivered, 'event')}, which PostHog acknowledged`
  const [sure, unsure] = [number(delivered - unconfirmed), number(unconfirmed)]
  return `${plural(delivered, 'event')}: ${sure} acknowledged by PostHog, ${unsure} unconfirmed`
}

function Import({ one }: { one: ImportPart }) {
  const { counts, own, caps } = one
  return (
    <>
      <h3>
        Import of <Name text={one.input} />
      </h3>
      <FactList
        facts={[
          ['State', stateText(one)],
          ['Delivered', deliveredText(one)],
          ['Rejected', `${plural(counts.rejected, 'line')}, unfit to be sent or refused by PostHog`],
          ['Filtered', counts.filtered > 0 && `${plural(counts.filtered, 'event')}, left out as asked`],
          ['Pending', !!one.pending && `${plural(one.pending, 'event')}, left to send`],
          [
            'Of its own',
            own.events > 0 && `${plural(own.events, 'event')}, made for group types and persons`,
          ],
          ['From', `${instant(Date.parse(one.started_at))} to ${instant(Date.parse(one.saved_at))}`],
          [
            'Caps',
            `${number(caps.events_per_minute)} events a minute, ${number(caps.events)} events${caps.approved ? ', approved' : ''}`,
          ],
          ['Version', one.tool],
          ['Checkpoint', one.checkpoint],
        ]}
      />
    </>
  )
}

function stateText({ state, share, pending }: ImportPart): string {
  if (state !== 'unfinished' || share === undefined) return state
  return `${state}, ${percent(share)} of the ${pending === undefined ? 'bytes' : 'events'} settled`
}

function recordsText({ read, mapped, rejected, filtered }: DatasetPart['records']): string {
  return listed(`${number(read)} read`, [
    mapped !== undefined && `${number(mapped)} became events`,
    !!rejected && `${number(rejected)} rejected`,
    !!filtered && `${number(filtered)} left out as asked`,
  ])
}

function eventsText(events: NonNullable<DatasetPart['events']>): string {
  const { made, written, generated, rejected, duplicate, earlier = 0 } = events
  return listed(`${number(made)} made, ${number(written)} written`, [
    generated > 0 && `${number(generated)} of them for identities and groups`,
    rejected > 0 && `${number(rejected)} rejected`,
    duplicate > 0 && `${plural(duplicate, 'duplicate')} left out`,
    earlier > 0 && `${number(earlier)} that an earlier dataset has`,
  ])
}

function listed(first: string, others: readonly (string | false)[]): string {
  return [first, ...others.filter((other) => other !== false)].join(', ')
}
