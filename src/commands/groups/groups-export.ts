import { join } from 'node:path'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { plural } from '../../text/words.ts'
import { countLines, noteLines, topNames } from '../lines.ts'
import type { GroupsExportResult } from '../results.ts'

const EVERY_MS = 10_000

/** Prints every ten seconds how many groups have been read. The total is known only at the end. */
export function pageReporter(
  telemetry: Pick<Telemetry, 'note'>,
  now = Date.now,
): (type: string, total: number) => void {
  let last = now()
  return (type, total) => {
    if (now() - last < EVERY_MS) return
    last = now()
    telemetry.note('posthaul', `${plural(total, 'group')} of type ${type} so far`)
  }
}

/** The summary: what became of every group, and the command that imports the dataset. */
export function groupsExportText(result: GroupsExportResult, parts: number): string {
  const { out, counts, days, rejects } = result
  const lines = [
    'groups export: done',
    ...countLines(counts, {
      written: `in ${plural(Object.keys(days).length, 'day')}, ${plural(parts, 'part')}`,
      rejected: topNames(rejects),
    }),
  ]
  if (counts.rejected > 0) lines.push(`  rejects are in ${join(out, 'rejects.ndjson')}`)
  lines.push(...noteLines(result))
  // A type is as old as the event that makes it, and older events never show it. Groups are often younger than their events.
  lines.push(`  next, after the events that name them: ${posthaulLine(['import', '--dataset', out])}`)
  return `${lines.join('\n')}\n`
}
