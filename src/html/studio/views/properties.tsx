import { useState } from 'preact/hooks'
import type { Edit, EditableField, PropertyFate, PropertyRow } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/words.ts'
import { Name, NameLines, Notice, shortName } from '../../kit/parts.tsx'
import { BarList } from '../../kit/table.tsx'
import { useRows } from '../api.ts'
import {
  ChoiceField,
  countWords,
  FateChip,
  Filters,
  fateWords,
  Pager,
  SearchField,
  sampleWords,
} from '../parts/filters.tsx'
import { EventFilterField } from '../parts/name-field.tsx'
import { ChoiceForm, NameForm, RowActions } from '../parts/small-form.tsx'
import { replacePlace } from '../place.ts'
import { useShown, type ViewProps } from '../session.ts'

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
export function PropertiesView({ params }: ViewProps) {
  const { input, model } = useShown().moment
  const { revision } = model
  const at = (name: string): string => params.get(name) ?? ''
  const [text, fate, event] = [at('text'), at('fate'), at('event')]
  const [offset, setOffset] = useState(0)
  const show = (change: Readonly<Record<string, string>>): void => {
    setOffset(0)
    replacePlace('properties', { text, fate, event, ...change })
  }
  const chosen = FATES.find((one) => one === fate)
  const asked = { text, fate: chosen, event, offset, limit: ROWS }
  const { value: table, failure } = useRows('properties', asked, revision)
  const whose = event === '' ? sampleWords(input) : `the records of ${shortName(event)}`
  return (
    <>
      <p class="lead">
        Members of the records by their path. The bar is the share of {whose} that have the member with a
        value; a share of nearly nothing is still a thin line.
      </p>
      <Filters>
        <SearchField label="Search all names" value={text} onInput={(typed) => show({ text: typed })} />
        <EventFilterField value={event} onChoose={(value) => show({ event: value })} />
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
                  <NameLines key="to" names={row.to} most={3} none="–" />,
                  <Example key="example" row={row} />,
                  <PropertyActions key={`change ${row.path}`} row={row} />,
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

function Example({ row }: { row: PropertyRow }) {
  if (row.example === null) return <span class="soft">none</span>
  return (
    <code>
      <Name text={row.example} most={40} />
    </code>
  )
}

/** What a member can be taken for. */
const FIELDS: ReadonlyArray<{ readonly value: EditableField; readonly label: string }> = [
  { value: 'event', label: 'name' },
  { value: 'distinct_id', label: 'person (distinct_id)' },
  { value: 'timestamp', label: 'time' },
  { value: 'uuid', label: 'uuid' },
  { value: 'anonymous_id', label: 'anonymous id' },
  { value: 'session_id', label: 'session' },
  { value: 'session_start', label: 'start of the session' },
]

/** The properties that the service's own charts look for. */
const KNOWN_PROPERTIES = [
  ...['$current_url', '$pathname', '$host', '$referrer', '$referring_domain', '$title', '$browser', '$os'],
  ...['$device_type', '$screen_name', '$ip', '$session_id', 'utm_source', 'utm_medium', 'utm_campaign'],
]

const KNOWN_GROUPS = ['company', 'organization', 'account', 'team', 'project']

/** Rename, drop or keep a property; take a member for a field of the event, or for the key of a group. */
function PropertyActions({ row }: { row: PropertyRow }) {
  const { session } = useShown()
  const { editable: property, path } = row
  const said = `“${shortName(property ?? path)}”`
  const edit = (change: Edit, what: string): void => void session.edit(change, what)
  const drop = (): void => edit({ kind: 'drop_property', property: property! }, `Dropped ${said}`)
  const keep = (): void => edit({ kind: 'keep_property', property: property! }, `Kept ${said}`)
  const reset = (): void =>
    edit({ kind: 'reset_property', property: property! }, `Took back the name of ${said}`)
  const isDropped = Object.keys(row.fates).some((fate) => fate === 'left out: properties.drop')
  // The mapping file renames what the preset made of it.
  const isRenamed = property !== null && row.fate === 'renamed' && !row.to.includes(property)
  const renameForm = (
    <NameForm
      label={`New name of ${shortName(path)}`}
      name={nameOf(row)}
      suggestions={KNOWN_PROPERTIES}
      onName={(to) => edit({ kind: 'rename_property', property: property!, to }, `Renamed ${said}`)}
    />
  )
  const useForm = (
    <ChoiceForm
      label={`Use ${shortName(path)} as the event's`}
      choices={FIELDS}
      onChoice={(value) => {
        const field = value as EditableField
        edit({ kind: 'set_field', field, path }, `Took ${field} from ${said}`)
      }}
    />
  )
  const groupForm = (
    <NameForm
      label={`Group type whose keys are in ${shortName(path)}`}
      name=""
      suggestions={KNOWN_GROUPS}
      onName={(type) =>
        edit({ kind: 'set_group', type, path }, `Took groups of “${shortName(type)}” from ${said}`)
      }
    />
  )
  return (
    <RowActions
      name={path}
      buttons={[
        property !== null && !isDropped && { label: 'Rename…', form: renameForm },
        { label: 'Use as…', form: useForm },
        { label: 'Group…', form: groupForm },
        property !== null && (isDropped ? { label: 'Keep', run: keep } : { label: 'Drop', run: drop }),
        isRenamed && { label: 'Undo rename', run: reset },
      ]}
    />
  )
}

/** The name that it has in the event now. */
function nameOf({ to, editable, path }: PropertyRow): string {
  return to.find((name) => !name.startsWith('$set')) ?? editable ?? path
}
