import { members } from '../../record/cut.ts'
import { groupPages } from '../../service/group-pages.ts'
import { type Groups, type GroupType, groupSchema } from '../../service/groups.ts'
import type { GroupBatch, GroupRecord, ReadFrom } from './record.ts'

/** Reads a type's groups over the list endpoint: 100 a page, newest first. */
export async function* readByList(
  groups: Groups,
  type: GroupType,
  { next: from, seen }: ReadFrom,
): AsyncGenerator<GroupBatch> {
  const pages = groupPages(groups, type, { seen, ...(from !== undefined && { from }) })
  for await (const { rows, fingerprint, nextPath } of pages) {
    const records = rows.map(({ text, value }): GroupRecord => {
      const { group_key, created_at } = groups.api.check(
        value,
        groupSchema,
        `the groups of type ${type.name}`,
      )
      const written = members(text).findLast(([name]) => name === 'group_properties')
      return { key: group_key, createdAt: created_at, properties: written?.[1] ?? 'null' }
    })
    yield { groups: records, seen: fingerprint, next: nextPath ?? null }
  }
}
