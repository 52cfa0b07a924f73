import type { Command } from 'commander'
import type { Io } from '../../io.ts'
import { folded } from '../../report/fold.ts'
import { groupsView } from '../../report/groups-view.ts'
import { type Format, RowWriter } from '../../report/rows.ts'
import { visible } from '../../report/visible.ts'
import { groupPages } from '../../service/group-pages.ts'
import { groupSchema } from '../../service/groups.ts'
import { addFormatFlag, formatOf } from '../format-flag.ts'
import { atLeast } from '../option-values.ts'
import { addApiFlags, addKeyHelp } from '../service-flags.ts'
import { chooseType } from './choose-type.ts'
import { withGroups } from './with-groups.ts'

interface Options {
  readonly type: string
  readonly search?: string
  readonly limit: number
  readonly all?: boolean
  readonly format?: Format
}

/** `groups list`: the groups of a type, newest first. */
export function configureList(parent: Command, io: Io): void {
  const command = parent
    .command('list')
    .description('the groups of a type, newest first')
    .requiredOption('--type <type>', "a type's index or name")
    .option('--search <text>', 'only groups whose name or key holds this')
    .option('--limit <n>', 'at most this many groups', atLeast(1), 100)
    .option('--all', 'every group')
  addKeyHelp(command, 'group:read')
  addApiFlags(addFormatFlag(command)).action((options: Options) => list(options, io))
}

async function list(options: Options, io: Io): Promise<void> {
  const limit = options.all ? Number.POSITIVE_INFINITY : options.limit
  await withGroups({ ...options }, io, async (groups) => {
    const type = await chooseType(groups, options.type)
    const writer = new RowWriter(formatOf(options, io), groupsView, io.stdout)
    let shown = 0
    let more = false
    for await (const page of groupPages(groups, type, options.search ? { search: options.search } : {})) {
      for (const row of page.rows.slice(0, limit - shown)) {
        const { group_type_index, group_key, group_properties, created_at } = groups.api.check(
          row.value,
          groupSchema,
          `the groups of type ${type.name}`,
        )
        await writer.write({ group_type_index, group_key, group_properties, created_at })
      }
      more =
        shown + page.rows.length > limit ||
        (page.nextPath !== undefined && shown + page.rows.length === limit)
      shown = Math.min(limit, shown + page.rows.length)
      if (shown === limit) break
    }
    await writer.end()
    if (more) io.stderr.write(`posthaul: ${shown} groups shown, and there are more: --limit N or --all\n`)
    else if (shown === 0) {
      const held = options.search ? ` whose name or key holds "${visible(options.search)}"` : ''
      io.stderr.write(folded(`no groups of type ${visible(type.name)}${held}`, '  ', 'posthaul: '))
    }
  })
}
