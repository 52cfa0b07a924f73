import type { ForecastRow, StudioModel } from '../../../studio/studio-data.ts'
import { bytes, number, plural } from '../../../text/words.ts'
import { Figures, Name, Notice, shortName } from '../../kit/parts.tsx'
import { StackedDays } from '../../kit/stacked-days.tsx'
import { right, TableView } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import { hrefOf } from '../place.ts'
import { type Moment, useShown } from '../session.ts'

const EFFECTS: Readonly<Record<ForecastRow['effect'], string>> = {
  dropped: 'Dropped by PostHog',
  changed: 'Changed',
  billed: 'Billing',
  note: 'Note',
}

/** What was read, what becomes of it, when it happened, and what the service will do with it. */
export function OverviewView() {
  const { moment } = useShown()
  const { model } = moment
  return (
    <>
      <InputWords moment={moment} />
      <OpenQuestions setup={moment.setup} />
      <Outcomes model={model} />
      <Days model={model} />
      <section aria-labelledby="forecast">
        <h3 id="forecast">What PostHog will do with it</h3>
        {model.forecast.length === 0 && <p>Nothing to note: all events are taken as they are.</p>}
        {model.forecast.map((row) => (
          <Forecast key={row.code} row={row} />
        ))}
      </section>
      {model.idleRules.length > 0 && (
        <Notice level="warning" title="Rules of the mapping that nothing in the sample fits">
          <ul>
            {model.idleRules.map((rule) => (
              <li key={rule}>
                <Name text={rule} most={120} />
              </li>
            ))}
          </ul>
        </Notice>
      )}
    </>
  )
}

/** What is to be done before all else. */
function OpenQuestions({ setup }: Pick<Moment, 'setup'>) {
  const questions = setup?.questions.length ?? 0
  const fields = setup?.missing.length ?? 0
  if (questions + fields === 0) return null
  const words = [
    ...(fields > 0 ? [`${plural(fields, 'field is', 'fields are')} to be chosen`] : []),
    ...(questions > 0 ? [`${plural(questions, 'question is', 'questions are')} open`] : []),
  ]
  return (
    <Notice level="note" title={words.join(', ')}>
      <p>
        <a href={hrefOf('setup')}>Answer in Set up</a>
      </p>
    </Notice>
  )
}

function InputWords({ moment: { input, model, mapping } }: { moment: Moment }) {
  const { records, estimatedRecords } = input
  return (
    <div class="input-words">
      <p>
        Read from{' '}
        {input.said.map((said, at) => (
          <>
            {at > 0 && ', '}
            <Name key={said} text={said} most={80} />
          </>
        ))}
        : {plural(input.files, 'file')}, {bytes(input.bytes)}, by the preset <Name text={model.preset} />.
      </p>
      <p>
        {input.whole ? (
          <>
            <strong>All {plural(records, 'record')}</strong> were read: counts on this page are of all of
            them.
          </>
        ) : (
          <>
            <strong>A sample of {plural(records, 'record')}</strong>
            {shareWords(records, estimatedRecords)}, spread over the whole input. All counts on this page are
            of the sample; the rest may have more names.
          </>
        )}
      </p>
      {mapping.options.length > 0 && (
        <p class="soft">Given on the command line, over the file: {mapping.options.join(' ')}</p>
      )}
      {!mapping.exists && mapping.reasons.length > 0 && (
        <details>
          <summary>Why the mapping begins as it does</summary>
          <ul>
            {mapping.reasons.map((reason) => (
              <li key={reason}>{shortName(reason, 500)}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  )
}

/** An estimate has no more than two digits that mean anything. */
function shareWords(records: number, estimated: number | null): string {
  if (estimated === null) return ''
  if (records > 0.95 * estimated) return ', nearly all there are'
  return `, ${percent(records / estimated)} of about ${number(Number(estimated.toPrecision(2)))}`
}

function Outcomes({ model }: { model: StudioModel }) {
  const { made, events, rejected, filtered } = model.counts
  const { unmapped, total } = model.names
  const of = (count: number): string => `${percent(count / Math.max(made, 1))} of ${number(made)}`
  return (
    <>
      <Figures
        figures={[
          { label: 'Become events', value: events, meaning: of(events), level: 'good' },
          {
            label: 'Rejected',
            value: rejected,
            meaning: rejected === 0 ? 'nothing to mend' : of(rejected),
            ...(rejected > 0 && { level: 'error' }),
          },
          { label: 'Left out by a rule', value: filtered, meaning: of(filtered) },
          {
            label: 'Names not mapped',
            value: unmapped,
            meaning:
              unmapped === 0 ? 'each name has a rule' : `of ${plural(total, 'name')}; sent under their own`,
            ...(unmapped > 0 && { level: 'warning' }),
          },
        ]}
      />
      <p>
        <a href={hrefOf('events', { fate: unmapped > 0 ? 'unmapped' : '' })}>
          {unmapped > 0 ? 'Look at the names that are not mapped' : 'Look at the events'}
        </a>
        {rejected > 0 && (
          <>
            {' · '}
            <a href={hrefOf('rejects')}>See why records are rejected</a>
          </>
        )}
      </p>
    </>
  )
}

function Days({ model: { timeline } }: { model: StudioModel }) {
  const { names, days } = timeline
  if (days.length === 0) return <p>No record becomes an event, so there is nothing to draw by day.</p>
  const others = days.map((day) => day.others)
  const series = names.map((name, at) => ({ name, values: days.map(({ counts }) => counts[at] ?? 0) }))
  return (
    <StackedDays
      id="days"
      title="Events by day and name"
      meaning="As they will be called in PostHog."
      days={days.map(({ day }) => day)}
      series={
        others.some((count) => count > 0) ? [...series, { name: 'other names', values: others }] : series
      }
    />
  )
}

function Forecast({ row }: { row: ForecastRow }) {
  const { level, text, remedy, names = [], record } = row
  return (
    <Notice level={level === 'ok' ? 'good' : level} title={`${EFFECTS[row.effect]}: ${text}`}>
      {remedy !== undefined && <p>{remedy}</p>}
      {names.length > 0 && (
        <p class="small">
          {names.slice(0, 12).map((name, at) => (
            <span key={name}>
              {at > 0 && ', '}
              <Name text={name} />
            </span>
          ))}
          {names.length > 12 && ` and ${number(names.length - 12)} more`}
        </p>
      )}
      {record !== null && (
        <p>
          <a href={hrefOf('records', { record: String(record) })}>
            Show a record<span class="unseen"> of {row.code}</span>
          </a>
        </p>
      )}
    </Notice>
  )
}

/** Whom the events belong to, and which ids become one person. */
export function PeopleView() {
  const { moment } = useShown()
  const { distinctIds, anonymousIds, joined, persons, merges } = moment.model.people
  return (
    <>
      <p class="lead">
        PostHog makes one person of ids that a record links. Check the largest: an id that many people share,
        such as a test account or a device in a shop, makes one person of them all, and that can't be undone.
      </p>
      {!moment.input.whole && (
        <p>A sample misses links: the whole input joins more ids than are counted here.</p>
      )}
      <Figures
        figures={[
          { label: 'Persons', value: persons, meaning: 'once all ids are joined' },
          { label: 'Distinct ids', value: distinctIds, meaning: 'that events have' },
          { label: 'Anonymous ids', value: anonymousIds, meaning: 'of devices and browsers' },
          { label: 'Joined', value: joined, meaning: 'anonymous ids that get a person' },
        ]}
      />
      {merges.length === 0 ? (
        <p>No record links two ids.</p>
      ) : (
        <div class="merges">
          <TableView
            caption={`The ${plural(merges.length, 'person', 'persons')} of most ids`}
            columns={[{ label: 'Some of the ids' }, right('Ids'), right('Events')]}
            rows={merges.map(({ ids, events, examples }) => [
              <ul key="ids" class="bare">
                {examples.map((id) => (
                  <li key={id}>
                    <a href={hrefOf('records', { text: id })}>
                      <Name text={id} />
                    </a>
                  </li>
                ))}
              </ul>,
              ids,
              events,
            ])}
          />
        </div>
      )}
    </>
  )
}
