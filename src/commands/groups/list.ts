import type { Command } from 'commander'
import { chooseType, withGroups } from '../../imports/api-session.ts'
import type { Io } from '../../io.ts'
import { type Options, useOptions } from '../../options/options.ts'
import { required, type Values } from '../../options/row.ts'
import { EVERY_PAGE, LIMIT, SEARCH, TYPE } from '../../options/rows/groups-rows.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { groupPages } from '../../service/groups.ts'
import { folded } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { addKeyHelp } from '../module.ts'
import { formatOf, RowPrinter } from '../rows.ts'
import { groupsView } from './groups-view.ts'

const LIST_ROWS = [required(TYPE), SEARCH, LIMIT, EVERY_PAGE, FORMAT, ...API_ROWS] as const

/** `groups list`: the groups of a type, newest first. */
export function configureList(parent: Command, io: Io): void {
  const command = parent.command('list').description('the groups of a type, newest first')
  addKeyHelp(command, 'group:read')
  useOptions(command, LIST_ROWS, io.env, (options) => list(options, io))
}

async function list(options: Options<Values<typeof LIST_ROWS>>, io: Io): Promise<void> {
  const { values } = options
  const limit = values.all ? Number.POSITIVE_INFINITY : values.limit
  await withGroups(options, io, async (groups) => {
    const type = await chooseType(groups, values.type)
    const writer = new RowPrinter(formatOf(values, io), groupsView, io.stdout)
    let shown = 0
    let more = false
    for await (const page of groupPages(groups, type, values.search ? { search: values.search } : {})) {
      for (const group of page.groups.slice(0, limit - shown)) await writer.write(group)
      const read = shown + page.groups.length
      more = read > limit || (page.nextPath !== undefined && read === limit)
      shown = Math.min(limit, read)
      if (shown === limit || io.unread.aborted) break
    }
    await writer.end()
    if (more) io.stderr.write(`posthaul: ${shown} groups shown, and there are more: use --limit N or --all\n`)
    else if (shown === 0) {
      const held = values.search ? ` with "${visible(values.search)}" in a property, or as their key` : ''
      io.stderr.write(folded(`no groups of type ${visible(type.name)}${held}`, '  ', 'posthaul: '))
    }
  })
}
