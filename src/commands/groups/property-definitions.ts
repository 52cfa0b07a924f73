import type { Command } from 'commander'
import { withGroups } from '../../imports/api-session.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { addKeyHelp } from '../module.ts'
import { plainView, writeRows } from '../rows.ts'

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
  useOptions(command, [FORMAT, ...API_ROWS], io.env, (options) =>
    withGroups(options, io, async (groups) => {
      const byType = Object.entries(await groups.propertyDefinitions())
      const rows = byType.flatMap(([index, tallies]) =>
        tallies.map(({ name, count }) => ({ group_type_index: Number(index), name, count })),
      )
      await writeRows(rows, plainView<Row>('group_type_index', 'name', 'count'), options.values, io)
      if (rows.length === 0) io.stderr.write('posthaul: no group of the project has properties\n')
    }),
  )
}
