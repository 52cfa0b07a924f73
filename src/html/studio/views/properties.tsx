import type { Edit, PropertyRow } from '../../../studio/studio-data.ts'
import { number } from '../../../text/words.ts'
import { Name, NameLines, shortName } from '../../kit/parts.tsx'
import { right } from '../../kit/table.tsx'
import { percent } from '../../kit/words.ts'
import { FateChip, NameTable, sampleWords } from '../parts/filters.tsx'
import { RowActions } from '../parts/forms.tsx'
import { useShown, type ViewProps } from '../session.ts'

/** Each member of the records: how often it has a value, an example, what becomes of it. */
export function PropertiesView({ params }: ViewProps) {
  const { input, model } = useShown().moment
  return (
    <>
      <p class="soft">
        Members of the records by their path, and the share of {sampleWords(input)} that have the member with
        a value.
      </p>
      <NameTable
        view="properties"
        one="member"
        of={sampleWords(input)}
        all={model.properties}
        names={(row) => [row.path, ...row.to]}
        params={params}
        columns={[
          { label: 'In the record' },
          right('Filled'),
          { label: 'Fate' },
          { label: 'In the event' },
          { label: 'Example' },
          { label: 'Change' },
        ]}
        cells={(row) => [
          row.path,
          percent(row.filled / row.records),
          <Fate key="fate" row={row} />,
          <NameLines key="to" names={row.to} most={3} none="–" />,
          <Example key="example" row={row} />,
          <PropertyActions key={`change ${row.path}`} row={row} />,
        ]}
        none="No member fits the filter."
      />
      {model.others > 0 && (
        <p class="soft">
          {number(model.others)} more values are of paths that are too many to be told apart.
        </p>
      )}
    </>
  )
}

function Fate({ row: { fate, fates } }: { row: PropertyRow }) {
  const all = Object.entries(fates).map(([words, records]) => `${words} (${number(records)})`)
  return (
    <>
      <FateChip fate={fate} />
      <div class="soft small">
        <NameLines names={all} most={3} none="" />
      </div>
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

/** The properties that the service's own charts look for. */
const KNOWN_PROPERTIES = [
  ...['$current_url', '$pathname', '$host', '$referrer', '$referring_domain', '$title', '$browser', '$os'],
  ...['$device_type', '$screen_name', '$ip', '$session_id', 'utm_source', 'utm_medium', 'utm_campaign'],
]

const KNOWN_GROUPS = ['company', 'organization', 'account', 'team', 'project']

/** Rename, drop or keep a property; take a member for the key of a group. */
function PropertyActions({ row }: { row: PropertyRow }) {
  const { session } = useShown()
  const { editable: property, path } = row
  const said = `“${shortName(property ?? path)}”`
  const edit = (change: Edit, what: string): void => void session.edit(change, what)
  const drop = (): void => edit({ kind: 'drop_property', property: property! }, `Dropped ${said}`)
  const keep = (): void => edit({ kind: 'keep_property', property: property! }, `Kept ${said}`)
  const isDropped = Object.keys(row.fates).some((fate) => fate === 'left out: properties.drop')
  const newName = {
    fields: [{ label: `New name of ${shortName(path)}`, value: nameOf(row), suggestions: KNOWN_PROPERTIES }],
    onApply: (to: string) => edit({ kind: 'rename_property', property: property!, to }, `Renamed ${said}`),
  }
  const group = {
    fields: [{ label: `Group type whose keys are in ${shortName(path)}`, suggestions: KNOWN_GROUPS }],
    onApply: (type: string) =>
      edit({ kind: 'set_group', type, path }, `Took groups of “${shortName(type)}” from ${said}`),
  }
  return (
    <RowActions
      name={path}
      buttons={[
        property !== null && !isDropped && { label: 'Rename…', asks: newName },
        { label: 'Group…', asks: group },
        property !== null && (isDropped ? { label: 'Keep', run: keep } : { label: 'Drop', run: drop }),
      ]}
    />
  )
}

/** The name that it has in the event now. */
function nameOf({ to, editable, path }: PropertyRow): string {
  return to.find((name) => !name.startsWith('$set')) ?? editable ?? path
}
