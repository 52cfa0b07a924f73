import type { Command } from 'commander'
import type { Io } from '../../io.ts'
import { plainView } from '../../report/plain-view.ts'
import type { Format } from '../../report/rows.ts'
import { addFormatFlag } from '../format-flag.ts'
import { addApiFlags, addKeyHelp } from '../service-flags.ts'
import { writeRows } from '../write-rows.ts'
import { withGroups } from './with-groups.ts'

interface Row {
  readonly group_type_index: number
  readonly name: unknown
  readonly count: number
}

/** `groups property-definitions`: the properties that groups have. */
export function configurePropertyDefinitions(parent: Command, io: Io): void {
  const command = parent
    .command('property-definitions')
    .description('the properties that groups have, and how many have each')
  addKeyHelp(command, 'group:read')
  addApiFlags(addFormatFlag(command)).action((options: { readonly format?: Format }) =>
    withGroups({ ...options }, io, async (groups) => {
      const byType = Object.entries(await groups.propertyDefinitions())
      const rows = byType.flatMap(([index, tallies]) =>
        tallies.map(({ name, count }) => ({ group_type_index: Number(index), name, count })),
      )
      await writeRows(rows, plainView<Row>('group_type_index', 'name', 'count'), options, io)
    }),
  )
}
