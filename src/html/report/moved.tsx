import type { ImportPart, ReportData } from '../../commands/report/report-data.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { INPUT_LIST } from '../../store/source-inputs.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { FactList, Name } from '../kit/parts.tsx'
import { instant, percent } from '../kit/words.ts'
import { Some, Tally } from './lists.tsx'

/** Where the data came from, which version and rules made it, and where it went. */
export function Moved({ datasets, imports, proof }: Pick<ReportData, 'datasets' | 'imports' | 'proof'>) {
  const host = proof?.host ?? imports[0]?.state.target.host
  return (
    <>
      <FactList
        facts={[
          ['Sent to', host],
          ['Project', proof?.project],
        ]}
      />
      <Some things={datasets} most={12} one="dataset">
        {(dataset) => <Dataset dataset={dataset} />}
      </Some>
      <Some things={imports} most={12} one="import">
        {(one) => <Import one={one} />}
      </Some>
    </>
  )
}

function Dataset({ dataset: { name, manifest } }: { dataset: ReportData['datasets'][number] }) {
  const { kind, created_at: at, tool, source, parts } = manifest
  const made = kind === 'events' ? manifest : undefined
  const days = parts.map((part) => ('day' in part ? part.day : part.window)).sort()
  const size = parts.reduce((sum, part) => sum + part.bytes, 0)
  const told = Object.entries(source).filter(([member]) => member !== INPUT_LIST)
  return (
    <>
      <h3>
        {made ? 'Events ready to be sent' : 'Records as the source gave them'}: <Name text={name} />
      </h3>
      <FactList
        facts={[
          ['Made', `${instant(Date.parse(at))} by ${tool}`],
          ['Days', days.length > 0 && `${days[0]} to ${days.at(-1)}`],
          // gather-report.ts tells of each that differs among what the page does not show.
          [
            'Size',
            `${plural(parts.length, 'part')}, ${bytes(size)}; the files are compared with the manifest by name and size`,
          ],
          ['Rules', made?.rules],
          [
            'Records',
            made ? recordsText(made.records) : kind === 'raw' && `${number(manifest.records)} read`,
          ],
          ['Events', made && eventsText(made.events)],
          [
            'A trial',
            made?.trial &&
              `${plural(made.trial.people, 'person', 'people')}, of ${plural(made.trial.whole_events, 'event')} in all`,
          ],
          ['Named in PostHog by', made?.import_ids?.slice(0, 10).join(', ')],
          ...told.slice(0, 20),
        ]}
      />
      {made && (
        <Tally
          caption="Events by name: how much of this dataset each is."
          label="event"
          unit="events"
          counts={made.names}
          besides={made.other_names}
        />
      )}
    </>
  )
}

function deliveredText({ counts: { delivered }, remarks }: ImportPart['state']): string {
  const unconfirmed = remarks.unknown
  if (unconfirmed === 0) return `${plural(delivered, 'event')}, which PostHog acknowledged`
  const [sure, unsure] = [number(delivered - unconfirmed), number(unconfirmed)]
  return `${plural(delivered, 'event')}: ${sure} acknowledged by PostHog, ${unsure} unconfirmed`
}

function Import({ one }: { one: ImportPart }) {
  const { pending, state } = one
  const { input, started_at, saved_at, counts, own } = state
  return (
    <>
      <h3>
        Import of <Name text={input.name} />
      </h3>
      <FactList
        facts={[
          ['State', stateText(one)],
          ['Delivered', deliveredText(state)],
          ['Rejected', `${plural(counts.rejected, 'line')}, unfit to be sent or refused by PostHog`],
          ['Filtered', counts.filtered > 0 && `${plural(counts.filtered, 'event')}, left out as asked`],
          ['Pending', !!pending && `${plural(pending, 'event')}, left to send`],
          [
            'Of its own',
            own.events > 0 && `${plural(own.events, 'event')}, made for group types and persons`,
          ],
          ['From', `${instant(Date.parse(started_at))} to ${instant(Date.parse(saved_at))}`],
        ]}
      />
    </>
  )
}

function stateText({ standing, share, pending }: ImportPart): string {
  if (standing !== 'unfinished' || share === undefined) return standing
  return `${standing}, ${percent(share)} of the ${pending === undefined ? 'bytes' : 'events'} settled`
}

function recordsText({ read, mapped, rejected, filtered }: EventsManifest['records']): string {
  return listed(`${number(read)} read`, [
    `${number(mapped)} became events`,
    rejected > 0 && `${number(rejected)} rejected`,
    filtered > 0 && `${number(filtered)} left out as asked`,
  ])
}

function eventsText(events: EventsManifest['events']): string {
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
