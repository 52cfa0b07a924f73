import type { EventRow } from '../../../studio/studio-data.ts'
import { number } from '../../../text/words.ts'
import { Name, NameLines, shortName } from '../../kit/parts.tsx'
import { right } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import { FateChip, NameTable, sampleWords } from '../parts/filters.tsx'
import { RowActions } from '../parts/forms.tsx'
import { hrefOf } from '../place.ts'
import { useShown, type ViewProps } from '../session.ts'

/** What the service's own charts look for. */
const KNOWN_EVENTS = [
  '$pageview',
  '$pageleave',
  '$screen',
  '$autocapture',
  'user signed up',
  'user logged in',
]

/** Each name in the source, what becomes of it, and buttons to change that. */
export function EventsView({ params }: ViewProps) {
  const { input, model } = useShown().moment
  return (
    <>
      <p class="soft">
        Names of events in the source, and what the mapping makes of each. Names that no rule knows are sent
        as they are. {!input.whole && 'The rest of the input may have more names.'}
      </p>
      <NameTable
        view="events"
        one="name"
        of={sampleWords(input)}
        all={model.events}
        names={(row) => [row.source ?? '', ...row.names]}
        params={params}
        columns={[
          { label: 'In the source' },
          right('Count'),
          { label: 'Fate' },
          { label: 'In PostHog' },
          { label: 'Change' },
        ]}
        cells={(row) => [
          <a key="name" href={hrefOf('records', { event: row.source ?? '', record: `${row.record}` })}>
            {row.source === null ? <em class="soft">no name</em> : <Name text={row.source} />}
          </a>,
          <span key="count">
            {number(row.count)} <span class="soft small">{percent(row.count / model.counts.made)}</span>
          </span>,
          <Fate key="fate" row={row} />,
          <NameLines key="names" names={row.names} most={4} none="not sent" />,
          <Actions key={`change ${row.source}`} row={row} />,
        ]}
        none={`No name in ${sampleWords(input)} fits the filter.${input.whole ? '' : ' The rest of the input may have such a name.'}`}
      />
    </>
  )
}

function Fate({ row }: { row: EventRow }) {
  const { sent, rejected, filtered } = row
  const parts = [
    rejected > 0 && row.fate !== 'rejected' && `${number(rejected)} rejected`,
    filtered > 0 && row.fate !== 'dropped' && `${number(filtered)} left out`,
  ].filter((part) => part !== false)
  return (
    <>
      <FateChip fate={row.fate} />
      {row.rule !== null && <div class="soft small">{row.rule}</div>}
      {sent > 0 && parts.length > 0 && <div class="small">{parts.join(', ')}</div>}
    </>
  )
}

function Actions({ row }: { row: EventRow }) {
  const { session } = useShown()
  const { source: event } = row
  if (event === null) return <span class="soft small">needs a name: see Rejects</span>
  const said = `“${shortName(event)}”`
  if (row.fate === 'dropped') {
    const keep = (): void => void session.edit({ kind: 'keep_event', event }, `Kept ${said}`)
    return <RowActions name={event} buttons={[{ label: 'Keep', run: keep }]} />
  }
  const drop = (): void => void session.edit({ kind: 'drop_event', event }, `Dropped ${said}`)
  const asks = {
    fields: [
      {
        label: `Name of ${shortName(event)} in PostHog`,
        value: row.names[0] ?? event,
        suggestions: KNOWN_EVENTS,
      },
    ],
    onApply: (to: string) => void session.edit({ kind: 'rename_event', event, to }, `Renamed ${said}`),
  }
  return (
    <RowActions
      name={event}
      buttons={[
        { label: row.fate === 'unmapped' ? 'Map to…' : 'Rename…', asks },
        { label: 'Drop', run: drop },
      ]}
    />
  )
}
