import type { Edit, EditableField, PropertyRow } from '../../../studio/studio-data.ts'
import { shortName } from '../../kit/name.tsx'
import type { PageSession } from '../session.ts'
import { RowActions, type RowForm } from './row-actions.tsx'
import { ChoiceForm, NameForm } from './small-form.tsx'

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
export function PropertyActions({ row, session }: { row: PropertyRow; session: PageSession }) {
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
  const renameForm: RowForm = {
    label: 'Rename…',
    form: (close) => (
      <NameForm
        label={`New name of ${shortName(path)}`}
        name={nameOf(row)}
        suggestions={KNOWN_PROPERTIES}
        onName={(to) => edit({ kind: 'rename_property', property: property!, to }, `Renamed ${said}`)}
        close={close}
      />
    ),
  }
  const useForm: RowForm = {
    label: 'Use as…',
    form: (close) => (
      <ChoiceForm
        label={`Use ${shortName(path)} as the event's`}
        choices={FIELDS}
        onChoice={(value) => {
          const field = value as EditableField
          edit({ kind: 'set_field', field, path }, `Took ${field} from ${said}`)
        }}
        close={close}
      />
    ),
  }
  const groupForm: RowForm = {
    label: 'Group…',
    form: (close) => (
      <NameForm
        label={`Group type whose keys are in ${shortName(path)}`}
        name=""
        suggestions={KNOWN_GROUPS}
        onName={(type) =>
          edit({ kind: 'set_group', type, path }, `Took groups of “${shortName(type)}” from ${said}`)
        }
        close={close}
      />
    ),
  }
  return (
    <RowActions
      name={path}
      forms={property === null || isDropped ? [useForm, groupForm] : [renameForm, useForm, groupForm]}
      actions={[
        ...(property === null
          ? []
          : [isDropped ? { label: 'Keep', run: keep } : { label: 'Drop', run: drop }]),
        ...(isRenamed ? [{ label: 'Undo rename', run: reset }] : []),
      ]}
    />
  )
}

/** The name that it has in the event now. */
function nameOf({ to, editable, path }: PropertyRow): string {
  return to.find((name) => !name.startsWith('$set')) ?? editable ?? path
}
