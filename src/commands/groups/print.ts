import { PosthaulError } from '../../errors.ts'
import { chooseType, withGroups } from '../../imports/api-session.ts'
import { groupEvents, groupPages } from '../../service/groups.ts'
import { folded } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { printing } from '../printing.ts'
import { formatOf, plainView, RowPrinter, writeRows } from '../rows.ts'
import { type FoundGroup, groupFields, groupFieldsView, groupsView } from './groups-view.ts'
import type { FIND, LIST, TYPES, VALUES } from './index.ts'

export const types = printing<typeof TYPES>((call, world) =>
  withGroups(call, world, async (groups) => {
    const rows = (await groups.types()).map(({ index, name }) => ({
      group_type_index: index,
      group_type: name,
    }))
    await writeRows(rows, plainView('group_type_index', 'group_type'), call.values, world)
    if (rows.length === 0) world.stderr.write('posthaul: this project has no group types\n')
  }),
)

export const list = printing<typeof LIST>((call, world) => {
  const { values } = call
  const limit = values.all ? Number.POSITIVE_INFINITY : values.limit
  return withGroups(call, world, async (groups) => {
    const type = await chooseType(groups, values.type)
    const writer = new RowPrinter(formatOf(values, world), groupsView, world.stdout)
    let shown = 0
    let more = false
    for await (const page of groupPages(groups, type, values.search ? { search: values.search } : {})) {
      for (const group of page.groups.slice(0, limit - shown)) await writer.write(group)
      const read = shown + page.groups.length
      more = read > limit || (page.nextPath !== undefined && read === limit)
      shown = Math.min(limit, read)
      if (shown === limit || world.unread.aborted) break
    }
    await writer.end()
    if (more)
      world.stderr.write(`posthaul: ${shown} groups shown, and there are more: use --limit N or --all\n`)
    else if (shown === 0) {
      const held = values.search ? ` with "${visible(values.search)}" in a property, or as their key` : ''
      world.stderr.write(folded(`no groups of type ${visible(type.name)}${held}`, '  ', 'posthaul: '))
    }
  })
})

export const find = printing<typeof FIND>((call, world) => {
  const { values } = call
  return withGroups(call, world, async (groups) => {
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
    if (formatOf(values, world) === 'table')
      await writeRows(groupFields(found), groupFieldsView, values, world)
    else await writeRows([found], groupsView, values, world)
  })
})

export const propertyDefinitions = printing<typeof TYPES>((call, world) =>
  withGroups(call, world, async (groups) => {
    const byType = Object.entries(await groups.propertyDefinitions())
    const rows = byType.flatMap(([index, tallies]) =>
      tallies.map(({ name, count }) => ({ group_type_index: Number(index), name, count })),
    )
    await writeRows(rows, plainView('group_type_index', 'name', 'count'), call.values, world)
    if (rows.length === 0) world.stderr.write('posthaul: no group of the project has properties\n')
  }),
)

export const propertyValues = printing<typeof VALUES>((call, world) => {
  const { type: given, property, value } = call.values
  return withGroups(call, world, async (groups) => {
    const type = await chooseType(groups, given)
    const values = await groups.propertyValues(type, property, value)
    await writeRows(values, plainView('name', 'count'), call.values, world)
    if (values.length === 0)
      world.stderr.write(
        folded(visible(`no group of type ${type.name} has the property ${property}`), '  ', 'posthaul: '),
      )
  })
})
