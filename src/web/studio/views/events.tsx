import { useState } from 'preact/hooks'
import { number, plural } from '../../../report/words.ts'
import type { EventFate, EventRow } from '../../../studio/studio-data.ts'
import { Name, shortName } from '../../kit/name.tsx'
import { type Sorting, Table } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import type { ViewProps } from '../app.tsx'
import { FateChip, fateWords } from '../parts/chip.tsx'
import { ChoiceField, Filters, SearchField } from '../parts/filters.tsx'
import { RowActions } from '../parts/row-actions.tsx'
import { useFirst } from '../parts/shorten.tsx'
import { NameForm } from '../parts/small-form.tsx'
import { hrefOf, replacePlace } from '../place.ts'
import type { Session } from '../session.ts'

const FATES: readonly EventFate[] = ['mapped', 'unmapped', 'dropped', 'rejected']
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
export function EventsView({ moment, session, params }: ViewProps) {
  const { events, otherEvents, counts } = moment.model
  const [order, setOrder] = useState({ column: 1, descending: true })
  const [text, fate] = [params.get('text') ?? '', params.get('fate') ?? '']
  const show = (change: { text?: string; fate?: string }): void =>
    replacePlace('events', { text, fate, ...change })
  const fitting = events.filter((row) => (fate === '' || row.fate === fate) && hasText(row, text))
  const { first, more } = useFirst(sorted(fitting, order))
  const onSort: Sorting['onSort'] = (column) => {
    const descending = column === order.column ? !order.descending : column === 1
    setOrder({ column, descending })
  }
  return (
    <>
      <p class="lead">
        Names of events in the source, and what the mapping makes of each. Names that no rule knows are sent
        as they are.
      </p>
      <Filters>
        <SearchField label="Search names" value={text} onInput={(typed) => show({ text: typed })} />
        <ChoiceField
          label="Fate"
          value={fate}
          all={`All (${number(events.length)})`}
          choices={FATES.map((one) => ({
            value: one,
            label: `${fateWords(one)} (${number(events.filter((row) => row.fate === one).length)})`,
          }))}
          onChoose={(chosen) => show({ fate: chosen })}
        />
      </Filters>
      <div class="events">
        <Table
          caption={`${plural(fitting.length, 'name')} of ${number(events.length)}, with their counts in the sample`}
          columns={[
            { label: 'In the source' },
            { label: 'Count', align: 'right' },
            { label: 'Fate' },
            { label: 'In PostHog' },
            { label: 'Change' },
          ]}
          sorting={{ ...order, onSort }}
          rows={first.map((row) => [
            <a key="name" href={hrefOf('records', queryOf(row))}>
              <SourceName source={row.source} />
            </a>,
            <span key="count">
              {number(row.count)} <span class="share soft small">{percent(row.count / counts.made)}</span>
            </span>,
            <Fate key="fate" row={row} />,
            <FinalNames key="names" row={row} />,
            <Actions key={`change ${row.source}`} row={row} session={session} />,
          ])}
        />
      </div>
      {fitting.length === 0 && <p>No name fits the filter.</p>}
      {otherEvents > 0 && (
        <p class="soft">
          {plural(otherEvents, 'more event has', 'more events have')} other names, too many to list.
        </p>
      )}
      {more}
    </>
  )
}

export function SourceName({ source }: { source: string | null }) {
  return source === null ? <em class="soft">no name</em> : <Name text={source} />
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
      {row.rule !== null && <div class="soft small">by {row.rule}</div>}
      {sent > 0 && parts.length > 0 && <div class="small">{parts.join(', ')}</div>}
    </>
  )
}

function FinalNames({ row }: { row: EventRow }) {
  if (row.names.length === 0) return <span class="soft">not sent</span>
  return (
    <>
      {row.names.slice(0, 4).map((name) => (
        <div key={name}>
          <Name text={name} />
        </div>
      ))}
      {row.names.length > 4 && <div class="soft small">and {number(row.names.length - 4)} more</div>}
    </>
  )
}

function Actions({ row, session }: { row: EventRow; session: Session }) {
  const { source: event, rule } = row
  if (event === null) return <span class="soft small">needs a name: see Rejects</span>
  const isRenamed = rule?.startsWith('events.rename') === true
  const said = `“${shortName(event)}”`
  if (row.fate === 'dropped') {
    const keep = (): void => void session.edit({ kind: 'keep_event', event }, `Kept ${said}`)
    return <RowActions name={event} actions={[{ label: 'Keep', run: keep }]} />
  }
  const drop = (): void => void session.edit({ kind: 'drop_event', event }, `Dropped ${said}`)
  const reset = (): void => void session.edit({ kind: 'reset_event', event }, `Took back the name of ${said}`)
  const rename = (to: string): void =>
    void session.edit({ kind: 'rename_event', event, to }, `Renamed ${said}`)
  return (
    <RowActions
      name={event}
      forms={[
        {
          label: row.fate === 'unmapped' ? 'Map to…' : 'Rename…',
          form: (close) => (
            <NameForm
              label={`Name of ${shortName(event)} in PostHog`}
              name={row.names[0] ?? event}
              suggestions={KNOWN_EVENTS}
              onName={rename}
              close={close}
            />
          ),
        },
      ]}
      actions={[{ label: 'Drop', run: drop }, ...(isRenamed ? [{ label: 'Undo rename', run: reset }] : [])]}
    />
  )
}

function queryOf(row: EventRow): Readonly<Record<string, string>> {
  return row.source === null
    ? { record: String(row.record) }
    : { event: row.source, record: String(row.record) }
}

function hasText(row: EventRow, text: string): boolean {
  const wanted = text.toLowerCase()
  return [row.source ?? '', ...row.names].some((name) => name.toLowerCase().includes(wanted))
}

function sorted(
  rows: readonly EventRow[],
  order: { column: number; descending: boolean },
): readonly EventRow[] {
  const keyOf = (row: EventRow): string | number =>
    [row.source ?? '', row.count, row.fate, row.names[0] ?? '', row.rule ?? ''][order.column] ?? ''
  const sign = order.descending ? -1 : 1
  return rows.toSorted((a, b) => {
    const [x, y] = [keyOf(a), keyOf(b)]
    return x === y ? b.count - a.count : x < y ? -sign : sign
  })
}
