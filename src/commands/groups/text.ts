import { join } from 'node:path'
import { posthaulLine } from '../../text/shell-word.ts'
import { plural } from '../../text/words.ts'
import { countLines, noteLines, topNames } from '../lines.ts'
import type { GroupsExportResult } from './result.ts'

/** What became of every group, and the command that imports the dataset. */
export function groupsExportLines(result: GroupsExportResult): string[] {
  const { out, counts, days, parts, rejects } = result
  return [
    'groups export: done',
    ...countLines(counts, {
      written: `in ${plural(Object.keys(days).length, 'day')}, ${plural(parts, 'part')}`,
      rejected: topNames(rejects),
    }),
    ...(counts.rejected > 0 ? [`  rejects are in ${join(out, 'rejects.ndjson')}`] : []),
    ...noteLines(result),
    // A type is as old as the event that makes it, and older events never show it. Groups are often younger than their events.
    `  next, after the events that name them: ${posthaulLine(['import', '--dataset', out])}`,
  ]
}
