import type { ForecastRow, StudioModel } from '../../../studio/studio-data.ts'
import { bytes, number, plural } from '../../../text/words.ts'
import { Figures, Name, NameLines, Notice } from '../../kit/parts.tsx'
import { percent } from '../../kit/words.ts'
import { hrefOf } from '../place.ts'
import { type Moment, useShown } from '../session.ts'

/** What was read, what becomes of it, when it happened, and what the service will do with it. */
export function OverviewView() {
  const { moment } = useShown()
  const { model } = moment
  return (
    <>
      <InputWords moment={moment} />
      <Outcomes model={model} />
      <p>{daysWords(model)}</p>
      <section aria-labelledby="forecast">
        <h3 id="forecast">What PostHog will do with it</h3>
        {model.forecast.length === 0 && <p>Nothing to note: PostHog takes all events as they are.</p>}
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

/** A wrong form or zone of times shows in it. */
function daysWords({ days }: StudioModel): string {
  const [first, last] = [days[0], days.at(-1)]
  if (!first || !last) return 'No record becomes an event.'
  return `They happened from ${first} to ${last} (UTC), on ${plural(days.length, 'day')}.`
}

function InputWords({ moment: { input, model, mapping } }: { moment: Moment }) {
  const { records } = input
  return (
    <div>
      <p>
        Read from <Name text={input.said.join(', ')} most={400} />: {plural(input.files, 'file')},{' '}
        {bytes(input.bytes)}, by the preset <Name text={model.preset} />.
      </p>
      <p>
        {input.whole ? (
          <>
            <strong>All {plural(records, 'record')}</strong> were read: counts on this page are of all of
            them.
          </>
        ) : (
          <>
            <strong>A sample of {plural(records, 'record')}</strong>, spread over the whole input. All counts
            on this page are of the sample; the rest may have more names.
          </>
        )}
      </p>
      {mapping.options.length > 0 && (
        <p class="soft">Given on the command line, over the file: {mapping.options.join(' ')}</p>
      )}
    </div>
  )
}

function Outcomes({ model }: { model: StudioModel }) {
  const { made, events, rejected, filtered } = model.counts
  const total = model.events.length
  const unmapped = model.events.filter(({ fate }) => fate === 'unmapped').length
  const of = (count: number): string => `${percent(count / Math.max(made, 1))} of ${number(made)}`
  return (
    <Figures
      figures={[
        { label: 'Become events', value: events, meaning: of(events), level: 'good' },
        {
          label: 'Rejected',
          value: rejected,
          meaning: of(rejected),
          ...(rejected > 0 && { level: 'error' }),
        },
        { label: 'Left out by a rule', value: filtered, meaning: of(filtered) },
        {
          label: 'Names not mapped',
          value: unmapped,
          meaning: `of ${plural(total, 'name')}; sent under their own`,
          ...(unmapped > 0 && { level: 'warning' }),
        },
      ]}
    />
  )
}

function Forecast({ row }: { row: ForecastRow }) {
  const { level, text, remedy, names = [], record } = row
  return (
    <Notice level={level === 'ok' ? 'good' : level} title={text}>
      {remedy !== undefined && <p>{remedy}</p>}
      <div class="small">
        <NameLines names={names} most={12} none="" />
      </div>
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
