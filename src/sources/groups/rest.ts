import { groupPages } from '../../service/group-pages.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import type { GroupBatch, ReadFrom } from './record.ts'

/** Reads a type's groups over the list endpoint: 100 a page, newest first. */
export async function* readByList(
  groups: Groups,
  type: GroupType,
  { next: from, seen }: ReadFrom,
): AsyncGenerator<GroupBatch> {
  const pages = groupPages(groups, type, { seen, ...(from !== undefined && { from }) })
  for await (const { groups: found, fingerprint, nextPath } of pages) {
    const records = found.map(({ group_key, created_at, group_properties }) => {
      return { key: group_key, createdAt: created_at, properties: group_properties }
    })
    yield { groups: records, seen: fingerprint, next: nextPath ?? null }
  }
}
