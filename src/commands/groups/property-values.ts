import type { Command } from 'commander'
import type { Io } from '../../io.ts'
import { folded } from '../../report/fold.ts'
import { plainView } from '../../report/plain-view.ts'
import type { Format } from '../../report/rows.ts'
import { visible } from '../../report/visible.ts'
import type { Tally } from '../../service/groups.ts'
import { addFormatFlag } from '../format-flag.ts'
import { addApiFlags, addKeyHelp } from '../service-flags.ts'
import { writeRows } from '../write-rows.ts'
import { chooseType } from './choose-type.ts'
import { withGroups } from './with-groups.ts'

interface Options {
  readonly type: string
  readonly property: string
  readonly value?: string
  readonly format?: Format
}

/** `groups property-values`: the commonest values of one property. */
export function configurePropertyValues(parent: Command, io: Io): void {
  const command = parent
    .command('property-values')
    .description('the commonest values of a property (the service gives at most 20)')
    .requiredOption('--type <type>', "a type's index or name")
    .requiredOption('--property <name>', 'the property')
    .option('--value <text>', 'only values that hold this')
  addKeyHelp(command, 'group:read')
  addApiFlags(addFormatFlag(command)).action((options: Options) =>
    withGroups({ ...options }, io, async (groups) => {
      const type = await chooseType(groups, options.type)
      const values = await groups.propertyValues(type, options.property, options.value)
      await writeRows(values, plainView<Tally>('name', 'count'), options, io)
      if (values.length === 0)
        io.stderr.write(folded(visible(`no ${type.name} has a ${options.property}`), '  ', 'posthaul: '))
    }),
  )
}
