import { members } from '../../record/json-values.ts'
import { textIn } from '../../record/text.ts'
import type { Group, GroupEvents } from '../../service/groups.ts'
import { commonest as tallyOf } from '../../text/lists.ts'
import type { Column } from '../../text/table.ts'
import { mostFirst } from '../../text/words.ts'
import { plainView, type RowView } from '../rows.ts'

/** A group as `groups find` shows it, with the count of its events if the user asked for it. */
export type FoundGroup = Group & { readonly events?: GroupEvents }

/** How a list of groups is shown: key, creation, then the properties that most of them have. */
export const groupsView: RowView<Group> = {
  json: groupJson,
  tableColumns: (sample) => [
    { title: 'key', cell: (row) => row.group_key },
    { title: 'created', cell: (row) => row.created_at.slice(0, 19).replace('T', ' '), whole: true },
    ...commonest(sample)
      .filter(([, groups]) => groups * 2 > sample.length)
      .map(([name]) => property(name, sample)),
  ],
}

/** A line of the table that shows one group on a terminal. */
export interface GroupField {
  readonly field: string
  readonly value: unknown
}

export const groupFieldsView = plainView<GroupField>('field', 'value')

/** The fields of one group, each on a line of its own: as columns they would not fit a terminal. */
export function groupFields(group: FoundGroup): GroupField[] {
  const { group_key, group_type_index, created_at, events = {} } = group
  return [
    { field: 'key', value: group_key },
    { field: 'type', value: group_type_index },
    { field: 'created', value: created_at },
    ...[...propertiesOf(group)].map(([field, json]) => ({ field, value: cellOf(json) })),
    ...Object.entries(events).map(([name, value]) => ({ field: `events: ${name}`, value: value as unknown })),
  ]
}

/** A group as JSON. Its properties are copied as text: parsing them would round large numbers. */
function groupJson(group: FoundGroup): string {
  const { group_type_index, group_key, group_properties, created_at, events } = group
  const text = JSON.stringify
  return (
    `{"group_type_index":${group_type_index},"group_key":${text(group_key)},` +
    `"group_properties":${group_properties},"created_at":${text(created_at)}` +
    `${events === undefined ? '' : `,"events":${text(events)}`}}`
  )
}

function property(title: string, sample: readonly Group[] = []): Column<Group> {
  const json = (row: Group) => propertiesOf(row).get(title)
  const numeric = sample.every((row) => /^(?:[-\d]|$)/.test(json(row) ?? ''))
  return { title, cell: (row) => cellOf(json(row)), side: numeric ? 'right' : 'left' }
}

/** The properties of each group: JSON text by name. Cached, because every column reads them. */
const parsed = new WeakMap<Group, ReadonlyMap<string, string>>()

/** The properties of a group; none if they are not an object. */
function propertiesOf(group: Group): ReadonlyMap<string, string> {
  const properties = parsed.get(group) ?? new Map(members(group.group_properties))
  parsed.set(group, properties)
  return properties
}

/** A value in a cell: text without its quotes, nothing for null, anything else as it is written. */
function cellOf(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null') return undefined
  return textIn(json)
}

/** The names of properties, with how many of the groups have each. */
function commonest(sample: readonly Group[]): (readonly [name: string, groups: number])[] {
  return mostFirst(tallyOf(sample.flatMap((row) => [...propertiesOf(row).keys()])))
}
