import type { Command } from 'commander'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { type Options, useOptions } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { EVENTS, KEY, TYPE } from '../../options/rows/groups-rows.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { plainView } from '../../report/plain-view.ts'
import { type GroupEvents, groupEvents } from '../../service/group-events.ts'
import type { Group } from '../../service/groups.ts'
import { addKeyHelp } from '../command.ts'
import { formatOf, writeRows } from '../write-rows.ts'
import { chooseType } from './choose-type.ts'
import { withGroups } from './with-groups.ts'

const FIND_ROWS = [required(TYPE), required(KEY), EVENTS, FORMAT, ...API_ROWS] as const

type Found = Group & { readonly events?: GroupEvents }

/** `groups find`: one group by its key. */
export function configureFind(parent: Command, io: Io): void {
  const command = parent.command('find').description('one group, by its key')
  addKeyHelp(command, 'group:read (--events: query:read too)')
  useOptions(command, FIND_ROWS, io.env, (options) => find(options, io))
}

async function find(options: Options<Values<typeof FIND_ROWS>>, io: Io): Promise<void> {
  const { values } = options
  await withGroups(options, io, async (groups) => {
    const type = await chooseType(groups, values.type)
    const group = await groups.find(type, values.key)
    if (!group) {
      throw new PosthaulError(`there is no ${type.name} with the key ${JSON.stringify(values.key)}`, {
        code: 'input',
        hint: `posthaul groups list --type ${type.index} --search … finds groups by a part of their name`,
      })
    }
    const found: Found = {
      ...group,
      ...(values.events && { events: await groupEvents(groups, type, values.key) }),
    }
    if (formatOf(values, io) === 'table')
      await writeRows(fieldsOf(found), plainView<Field>('field', 'value'), values, io)
    else await writeRows([found], groupColumns, values, io)
  })
}

interface Field {
  readonly field: string
  readonly value: unknown
}

/** One group reads better down than across. */
function fieldsOf({ group_key, group_type_index, created_at, group_properties, events }: Found): Field[] {
  const properties = typeof group_properties === 'object' && group_properties !== null ? group_properties : {}
  return [
    { field: 'key', value: group_key },
    { field: 'type', value: group_type_index },
    { field: 'created', value: created_at },
    ...Object.entries(properties).map(([field, value]) => ({ field, value: value as unknown })),
    ...Object.entries(events ?? {}).map(([name, value]) => ({
      field: `events: ${name}`,
      value: value as unknown,
    })),
  ]
}

const groupColumns = plainView<Found>(
  'group_type_index',
  'group_key',
  'created_at',
  'group_properties',
  'events',
)
