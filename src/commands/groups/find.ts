import type { Command } from 'commander'
import { PosthaulError } from '../../errors.ts'
import { chooseType, withGroups } from '../../imports/api-session.ts'
import type { Io } from '../../io.ts'
import { type Options, useOptions } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { EVENTS, KEY, TYPE } from '../../options/rows/groups-rows.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { groupEvents } from '../../service/groups.ts'
import { addKeyHelp } from '../module.ts'
import { formatOf, writeRows } from '../rows.ts'
import { type FoundGroup, foundGroupView, groupFields, groupFieldsView } from './groups-view.ts'

const FIND_ROWS = [required(TYPE), required(KEY), EVENTS, FORMAT, ...API_ROWS] as const

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
        hint: `groups by a part of their key or of a property: posthaul groups list --type ${type.index} --search …`,
      })
    }
    const found: FoundGroup = {
      ...group,
      ...(values.events && { events: await groupEvents(groups, type, values.key) }),
    }
    if (formatOf(values, io) === 'table') await writeRows(groupFields(found), groupFieldsView, values, io)
    else await writeRows([found], foundGroupView, values, io)
  })
}
