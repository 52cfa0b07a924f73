import type { Command } from 'commander'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { plainView } from '../../report/plain-view.ts'
import type { Format } from '../../report/rows.ts'
import { type GroupEvents, groupEvents } from '../../service/group-events.ts'
import type { Group } from '../../service/groups.ts'
import { addFormatFlag, formatOf } from '../format-flag.ts'
import { addApiFlags, addKeyHelp } from '../service-flags.ts'
import { writeRows } from '../write-rows.ts'
import { chooseType } from './choose-type.ts'
import { withGroups } from './with-groups.ts'

interface Options {
  readonly type: string
  readonly key: string
  readonly events?: boolean
  readonly format?: Format
}

type Found = Group & { readonly events?: GroupEvents }

/** `groups find`: one group by its key. */
export function configureFind(parent: Command, io: Io): void {
  const command = parent
    .command('find')
    .description('one group, by its key')
    .requiredOption('--type <type>', "a type's index or name")
    .requiredOption('--key <key>', "the group's key")
    .option('--events', 'also count its events, and say when the first and the last happened')
  addKeyHelp(command, 'group:read (--events: query:read too)')
  addApiFlags(addFormatFlag(command)).action((options: Options) => find(options, io))
}

async function find(options: Options, io: Io): Promise<void> {
  await withGroups({ ...options }, io, async (groups) => {
    const type = await chooseType(groups, options.type)
    const group = await groups.find(type, options.key)
    if (!group) {
      throw new PosthaulError(`there is no ${type.name} with the key ${JSON.stringify(options.key)}`, {
        code: 'input',
        hint: `posthaul groups list --type ${type.index} --search … finds groups by a part of their name`,
      })
    }
    const found: Found = {
      ...group,
      ...(options.events && { events: await groupEvents(groups, type, options.key) }),
    }
    if (formatOf(options, io) === 'table')
      await writeRows(fieldsOf(found), plainView<Field>('field', 'value'), options, io)
    else await writeRows([found], groupColumns, options, io)
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
