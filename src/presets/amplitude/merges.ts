import type { RecordView, Target } from '../../mapping/preset.ts'
import type { SideTable } from '../../mapping/side-table.ts'

/**
 * Amplitude gives each device that is new an id of its own, `amplitude_id`. When it learns whose device that is, it
 * writes a row of MERGE_IDS: the id, and the user's older one. The events keep the id with which they came. So the user
 * of a device's first events is found by way of the records that have the older id and a user.
 */
export const MERGE_TABLES: readonly SideTable[] = [
  {
    name: 'merge_ids',
    help: 'which amplitude_id Amplitude has merged into which, so that devices go to their user',
    on: { 'amplitude_id|AMPLITUDE_ID': ['amplitude_id', 'AMPLITUDE_ID'] },
    as: 'joined_merge',
    several: 'last',
    expected: false,
    rare: true,
  },
  {
    name: 'merged_users',
    help: 'the user of each amplitude_id',
    on: {
      'amplitude_id|AMPLITUDE_ID': ['joined_merge.merged_amplitude_id', 'joined_merge.MERGED_AMPLITUDE_ID'],
    },
    as: 'merged_user',
    ofRecords: ['user_id', 'USER_ID'],
    several: (held, row) => held ?? row,
    expected: true,
    needs: 'merge_ids',
  },
]

export const MERGE_FIELDS: Readonly<Record<string, Target>> = {
  'joined_merge.*': [],
  'merged_user.user_id': '@merged_user',
  'merged_user.USER_ID': '@merged_user',
}

/** The user of a record that names none, by the merges; undefined where no record shows them. */
export function mergedUser(record: RecordView): string | undefined {
  return record.text('user_id') === undefined ? record.text('merged_user') : undefined
}
