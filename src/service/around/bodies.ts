import type { AroundKind, AroundRow } from '../../around/index.ts'
import { typeName } from './shapes.ts'

/** The body of a request that writes these fields of a row. */
export function bodyOf(kind: AroundKind, row: Partial<AroundRow>): object {
  const one = row as Partial<AroundRow<'properties'> & AroundRow<'annotations'> & AroundRow<'reports'>>
  if (kind === 'annotations') {
    return {
      ...(one.text !== undefined && { content: one.text }),
      ...(one.at !== undefined && { date_marker: one.at, scope: 'project', creation_type: 'USR' }),
    }
  }
  const { name, description, tags, hidden, verified, query } = one
  const { pinned } = row as Partial<AroundRow<'dashboards'>>
  return {
    ...(kind !== 'properties' && name !== undefined && { name }),
    ...('description' in one && { description: description ?? '' }),
    ...(tags && { tags }),
    ...('hidden' in one && { hidden: hidden ?? false }),
    ...('verified' in one && { verified: verified ?? false }),
    ...('type' in one && { property_type: typeName(one.type) ?? null }),
    ...(query !== undefined && { query, ...(name !== undefined && { saved: true }) }),
    ...(pinned !== undefined && { pinned }),
  }
}
