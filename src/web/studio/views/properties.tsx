import { number, plural } from '../../../report/words.ts'
import type { PropertyFate, PropertyRow } from '../../../studio/studio-data.ts'
import { BarList } from '../../kit/bar-list.tsx'
import { Name, shortName } from '../../kit/name.tsx'
import type { ViewProps } from '../app.tsx'
import { FateChip, fateWords } from '../parts/chip.tsx'
import { ChoiceField, Filters, SearchField } from '../parts/filters.tsx'
import { PropertyActions } from '../parts/property-actions.tsx'
import { useFirst } from '../parts/shorten.tsx'
import { replacePlace } from '../place.ts'

const FATES: readonly PropertyFate[] = [
  'kept',
  'renamed',
  'person',
  'used',
  'changed',
  'left out',
  'not sent',
]

/** Each member of the records: how often it has a value, an example, what becomes of it. */
export function PropertiesView({ moment, session, params }: ViewProps) {
  const { model } = moment
  const at = (name: string): string => params.get(name) ?? ''
  const [text, fate, event] = [at('text'), at('fate'), at('event')]
  const show = (change: Readonly<Record<string, string>>): void =>
    replacePlace('properties', { text, fate, event, ...change })
  const chosen = model.events.find(({ source }) => source !== null && source === event)
  const all = event === '' ? model.properties : (chosen?.properties ?? [])
  const fitting = all.filter((row) => (fate === '' || row.fate === fate) && hasText(row, text.toLowerCase()))
  const { first, more } = useFirst(fitting)
  const whose = chosen === undefined ? 'all records' : `the records of ${shortName(event)}`
  return (
    <>
      <p class="lead">
        Members of the records by their path. The bar is the share of {whose} that have the member with a
        value.
      </p>
      <Filters>
        <SearchField label="Search names" value={text} onInput={(typed) => show({ text: typed })} />
        <ChoiceField
          label="Event"
          value={event}
          all="All events"
          choices={model.events.flatMap(({ source, count }) =>
            source === null ? [] : [{ value: source, label: `${shortName(source, 40)} (${number(count)})` }],
          )}
          onChoose={(value) => show({ event: value })}
        />
        <ChoiceField
          label="Fate"
          value={fate}
          all="All"
          choices={FATES.filter((one) => all.some((row) => row.fate === one)).map((one) => ({
            value: one,
            label: `${fateWords(one)} (${number(all.filter((row) => row.fate === one).length)})`,
          }))}
          onChoose={(value) => show({ fate: value })}
        />
      </Filters>
      <div class="properties">
        <BarList
          caption={`${plural(fitting.length, 'member')} of ${number(all.length)}`}
          columns={{
            label: 'In the record',
            share: 'Filled',
            more: ['Fate', 'In the event', 'Example', 'Change'],
          }}
          rows={first.map((row) => ({
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
      {fitting.length === 0 && <p>No member fits the filter.</p>}
      {model.otherProperties > 0 && (
        <p class="soft">
          {plural(model.otherProperties, 'more path is', 'more paths are')} too many to list.
        </p>
      )}
      {more}
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

function hasText(row: PropertyRow, text: string): boolean {
  return [row.path, ...row.to].some((name) => name.toLowerCase().includes(text))
}
