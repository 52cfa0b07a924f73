import { useState } from 'preact/hooks'
import type { PropertyFate, PropertyRow } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/index.ts'
import { BarList } from '../../kit/bar-list.tsx'
import { Name, shortName } from '../../kit/name.tsx'
import { Notice } from '../../kit/notice.tsx'
import { FateChip, fateWords } from '../parts/chip.tsx'
import { ChoiceField, Filters, SearchField } from '../parts/filters.tsx'
import { EventFilterField } from '../parts/name-field.tsx'
import { countWords, Pager, sampleWords } from '../parts/pager.tsx'
import { PropertyActions } from '../parts/property-actions.tsx'
import { replacePlace } from '../place.ts'
import type { ViewProps } from '../session.ts'
import { useProperties } from '../use-records.ts'

const FATES: readonly PropertyFate[] = [
  'kept',
  'renamed',
  'person',
  'used',
  'changed',
  'left out',
  'not sent',
]

const ROWS = 100

/** Each member of the records: how often it has a value, an example, what becomes of it. */
export function PropertiesView({ moment, session, params }: ViewProps) {
  const { revision } = moment.model
  const at = (name: string): string => params.get(name) ?? ''
  const [text, fate, event] = [at('text'), at('fate'), at('event')]
  const [offset, setOffset] = useState(0)
  const show = (change: Readonly<Record<string, string>>): void => {
    setOffset(0)
    replacePlace('properties', { text, fate, event, ...change })
  }
  const chosen = FATES.find((one) => one === fate)
  const { value: table, failure } = useProperties(
    { text, ...(chosen && { fate: chosen }), ...(event !== '' && { event }), offset, limit: ROWS },
    revision,
  )
  const whose = event === '' ? sampleWords(moment.input) : `the records of ${shortName(event)}`
  return (
    <>
      <p class="lead">
        Members of the records by their path. The bar is the share of {whose} that have the member with a
        value; a share of nearly nothing is still a thin line.
      </p>
      <Filters>
        <SearchField label="Search all names" value={text} onInput={(typed) => show({ text: typed })} />
        <EventFilterField value={event} revision={revision} onChoose={(value) => show({ event: value })} />
        <ChoiceField
          label="Fate"
          value={fate}
          all="All"
          choices={FATES.filter((one) => (table?.fates[one] ?? 0) > 0).map((one) => ({
            value: one,
            label: `${fateWords(one)} (${number(table?.fates[one] ?? 0)})`,
          }))}
          onChoose={(value) => show({ fate: value })}
        />
      </Filters>
      {failure !== undefined && <Notice level="error" title={failure.message} />}
      {table !== undefined && (
        <>
          <div class="properties">
            <BarList
              caption={countWords('member', table, whose)}
              columns={{
                label: 'In the record',
                share: 'Filled',
                more: ['Fate', 'In the event', 'Example', 'Change'],
              }}
              rows={table.rows.map((row) => ({
                label: <Name text={row.path} />,
                share: row.filled / row.records,
                cells: [
                  <Fate key="fate" row={row} />,
                  <Targets key="to" row={row} />,
                  <Example key="example" row={row} />,
                  <PropertyActions key={`change ${row.path}`} row={row} session={session} />,
                ],
              }))}
            />
          </div>
          {table.total === 0 && <p>No member fits the filter.</p>}
          {table.others > 0 && (
            <p class="soft">
              Of {plural(table.others, 'more value', 'more values')} the paths are too many to be told apart.
            </p>
          )}
          <Pager what="members" offset={offset} size={ROWS} total={table.total} onOffset={setOffset} />
        </>
      )}
    </>
  )
}

function Fate({ row }: { row: PropertyRow }) {
  const fates = Object.entries(row.fates)
  return (
    <>
      <FateChip fate={row.fate} />
      {fates.length > 1 && (
        <details class="small">
          <summary>{number(fates.length)} fates</summary>
          <ul>
            {fates.map(([fate, records]) => (
              <li key={fate}>
                <Name text={fate} /> <span class="soft">({number(records)})</span>
              </li>
            ))}
          </ul>
        </details>
      )}
      {fates.length === 1 && fates[0]![0] !== row.fate && row.fate !== 'renamed' && (
        <div class="soft small">
          <Name text={fates[0]![0]} />
        </div>
      )}
    </>
  )
}

function Targets({ row }: { row: PropertyRow }) {
  if (row.to.length === 0) return <span class="soft">–</span>
  return (
    <>
      {row.to.slice(0, 3).map((name) => (
        <div key={name}>
          <Name text={name} />
        </div>
      ))}
      {row.to.length > 3 && <div class="soft small">and {number(row.to.length - 3)} more</div>}
    </>
  )
}

function Example({ row }: { row: PropertyRow }) {
  if (row.example === null) return <span class="soft">none</span>
  return (
    <code>
      <Name text={row.example} most={40} />
    </code>
  )
}
