import { useState } from 'preact/hooks'
import type { Outcome, ReasonRow, RecordRow } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { Name, Notice, shortName } from '../../kit/parts.tsx'
import { percent } from '../../kit/words.ts'
import { useAnswer } from '../api.ts'
import { FateChip, fateWords, SearchField, Select } from '../parts/filters.tsx'
import { RecordSides } from '../parts/record-sides.tsx'
import { hrefOf, replacePlace } from '../place.ts'
import { useShown, type ViewProps } from '../session.ts'

const FILTERS = ['event', 'outcome', 'reason', 'text'] as const
type Wanted = Readonly<Record<(typeof FILTERS)[number], string>>
const OUTCOMES: readonly Outcome[] = ['event', 'rejected', 'filtered']

/** The records that fit a filter, and one of them beside its event. */
export function RecordsView({ params }: ViewProps) {
  const { revision } = useShown().moment.model
  const wanted = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? ''])) as Wanted
  const outcome = OUTCOMES.find((one) => one === wanted.outcome)
  const given = FILTERS.filter((name) => wanted[name] !== '').map((name) => [name, wanted[name]])
  const list = useAnswer('records', { ...Object.fromEntries(given), outcome }, revision)
  const rows = list.value?.records ?? []
  const asked = params.get('record')
  const chosen = asked !== null && /^\d+$/.test(asked) ? Number(asked) : rows[0]?.number
  const record = useAnswer('record', chosen === undefined ? null : { number: chosen }, revision)
  const show = (change: Partial<Wanted>): void => replacePlace('records', { ...wanted, ...change })
  const failure = list.failure ?? record.failure
  return (
    <>
      <RecordFilters wanted={wanted} show={show} />
      {failure !== undefined && <Notice level="error" title={failure.message} />}
      <div class="beside">
        <List rows={rows} total={list.value?.total} chosen={chosen} wanted={wanted} />
        <div>
          {list.value?.total === 0 && <p>No record fits the filter.</p>}
          {record.value !== undefined && chosen !== undefined && (
            <>
              <h3>Record {number(record.value.number + 1)}</h3>
              <RecordSides record={record.value} />
            </>
          )}
        </div>
      </div>
    </>
  )
}

function RecordFilters({ wanted, show }: { wanted: Wanted; show: (change: Partial<Wanted>) => void }) {
  const { events, rejects, filtered } = useShown().moment.model
  const reasons = [
    ...(wanted.outcome === 'filtered' ? [] : rejects),
    ...(wanted.outcome === 'rejected' ? [] : filtered),
  ]
  return (
    <search class="filters" aria-label="Filter">
      <SearchField label="Text in the record" value={wanted.text} onInput={(text) => show({ text })} />
      <Select
        label="Event"
        value={wanted.event}
        all="All"
        choices={events.flatMap(({ source: value }) => (value === null ? [] : [{ value, label: value }]))}
        onChoose={(event) => show({ event })}
      />
      <Select
        label="Outcome"
        value={wanted.outcome}
        all="All"
        choices={OUTCOMES.map((value) => ({ value, label: fateWords(value) }))}
        onChoose={(outcome) => show({ outcome, reason: '' })}
      />
      <Select
        label="Reason"
        value={wanted.reason}
        all="All"
        choices={[...new Set(reasons.map(({ reason }) => reason))].map((value) => ({ value, label: value }))}
        onChoose={(reason) => show({ reason })}
      />
    </search>
  )
}

function List(props: {
  rows: readonly RecordRow[]
  total: number | undefined
  chosen: number | undefined
  wanted: Wanted
}) {
  const { rows, total, chosen, wanted } = props
  // Beside the record on a wide page, folded above it on a narrow one.
  const [isOpen] = useState(() => matchMedia('(min-width: 900px)').matches)
  return (
    <details class="record-list" open={isOpen}>
      <summary>{total === undefined ? 'Reading …' : plural(total, 'record fits', 'records fit')}</summary>
      <ol>
        {rows.map((row) => (
          <li key={row.number}>
            <a
              href={hrefOf('records', { ...wanted, record: String(row.number) })}
              aria-current={row.number === chosen ? 'true' : undefined}
            >
              <span>
                <Name text={row.name ?? row.source ?? 'no name'} most={40} />{' '}
                {row.outcome !== 'event' && <FateChip fate={row.outcome} />}
              </span>
              <span class="soft small">
                {row.timestamp?.slice(0, 19).replace('T', ' ') ?? row.reason}{' '}
                {row.distinctId && <Name text={row.distinctId} most={24} />}
              </span>
            </a>
          </li>
        ))}
      </ol>
      {rows.length < (total ?? 0) && (
        <p class="soft small">These are the first: a filter finds the others.</p>
      )}
    </details>
  )
}

/** Records that become no event: those that can't, and those that a rule leaves out. */
export function RejectsView() {
  const { rejects, filtered, counts } = useShown().moment.model
  return (
    <>
      {rejects.length === 0 ? (
        <Notice level="good" title="No record of the sample is rejected" />
      ) : (
        <p class="soft">
          {plural(counts.rejected, 'record')} of the sample ({percent(counts.rejected / counts.made)}) can't
          become an event. In a transform they are kept with their reasons in rejects.ndjson.
        </p>
      )}
      {rejects.map((row) => (
        <Reason key={row.reason} row={row} outcome="rejected" />
      ))}
      <h3>Left out on purpose</h3>
      {filtered.length === 0 && <p>No rule leaves a record out.</p>}
      {filtered.map((row) => (
        <Reason key={row.reason} row={row} outcome="filtered" />
      ))}
    </>
  )
}

function Reason({ row, outcome }: { row: ReasonRow; outcome: Outcome }) {
  const id = `reason-${outcome}-${row.reason}`
  const records = (record = ''): string => hrefOf('records', { outcome, reason: row.reason, record })
  return (
    <section class="card" aria-labelledby={id}>
      <h3 id={id}>
        <code>{row.reason}</code> <span class="soft">{plural(row.count, 'record')}</span>
      </h3>
      {row.message !== '' && <p>{shortName(row.message, 500)}</p>}
      {row.remedy !== null && (
        <p>
          <strong>What to do:</strong> {row.remedy}.
        </p>
      )}
      <ul class="bare line">
        {row.examples.map(({ record, message }) => (
          <li key={record}>
            <a href={records(String(record))}>Record {number(record + 1)}</a>
            {message !== row.message && <span class="soft"> {shortName(message, 200)}</span>}
          </li>
        ))}
        <li>
          <a href={records()}>
            All {number(row.count)}
            <span class="unseen"> of {row.reason}</span>
          </a>
        </li>
      </ul>
    </section>
  )
}
