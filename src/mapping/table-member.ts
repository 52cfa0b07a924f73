import type { Mapping } from './mapping.ts'
import type { Preset } from './preset.ts'

/**
 * The member that holds the name of a record's table (`InputFile.table`): a path of a preset's `fields` and of a
 * mapping file like any other. Readers write it into the records of a job that has a rule for it, and of no other: so
 * a reject keeps it, and a record that runs again from a rejects file has it still.
 */
export const TABLE_MEMBER = '$table'

/** True when a rule of the preset or of the mapping file reads the table's name. */
export function readsTable({ fields }: Pick<Preset, 'fields'>, mapping: Mapping): boolean {
  const { where } = mapping.filter
  const mapped = [
    ...Object.values(mapping.fields).flat(),
    ...Object.values(mapping.groups),
    ...Object.keys(where),
  ]
  return Object.hasOwn(fields, TABLE_MEMBER) || mapped.includes(TABLE_MEMBER)
}
