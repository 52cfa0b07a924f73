import type { Command } from 'commander'
import type { Io } from '../../io.ts'
import { chooseType, withGroups } from '../../jobs/index.ts'
import { API_ROWS, FORMAT, PROPERTY, required, TYPE, useOptions, VALUE } from '../../options/index.ts'
import type { GroupTally } from '../../service/index.ts'
import { folded, visible } from '../../text/index.ts'
import { addKeyHelp } from '../command.ts'
import { plainView, writeRows } from '../text/rows.ts'

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
