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
  readonly group_type: string
}

/** `groups types`: the project's group types. */
export function configureTypes(parent: Command, io: Io): void {
  const command = parent.command('types').description("the project's group types")
  addKeyHelp(command, 'group:read')
  useOptions(command, [FORMAT, ...API_ROWS], io.env, (options) =>
    withGroups(options, io, async (groups) => {
      const types = await groups.types()
      const rows = types.map(({ index, name }) => ({ group_type_index: index, group_type: name }))
      await writeRows(rows, plainView<Row>('group_type_index', 'group_type'), options.values, io)
      if (rows.length === 0) io.stderr.write('posthaul: this project has no group types\n')
    }),
  )
}
