import type { Command } from 'commander'
import { chooseType, withGroups } from '../../imports/api-session.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { required } from '../../options/row.ts'
import { PROPERTY, TYPE, VALUE } from '../../options/rows/groups-rows.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import type { GroupTally } from '../../service/groups.ts'
import { folded } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { addKeyHelp } from '../module.ts'
import { plainView, writeRows } from '../rows.ts'

const VALUES_ROWS = [required(TYPE), required(PROPERTY), VALUE, FORMAT, ...API_ROWS] as const

/** `groups property-values`: the commonest values of one property. */
export function configurePropertyValues(parent: Command, io: Io): void {
  const command = parent
    .command('property-values')
    .description('the commonest values of a property (the service gives at most 20)')
  addKeyHelp(command, 'group:read')
  useOptions(command, VALUES_ROWS, io.env, (options) => {
    const { type: given, property, value } = options.values
    return withGroups(options, io, async (groups) => {
      const type = await chooseType(groups, given)
      const values = await groups.propertyValues(type, property, value)
      await writeRows(values, plainView<GroupTally>('name', 'count'), options.values, io)
      if (values.length === 0)
        io.stderr.write(
          folded(visible(`no group of type ${type.name} has the property ${property}`), '  ', 'posthaul: '),
        )
    })
  })
}
