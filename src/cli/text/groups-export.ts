import { join } from 'node:path'
import type { GroupsExportResult } from '../../jobs/results.ts'
import { countLines, noteLines, topNames } from '../../jobs/summary.ts'
import { type Counts, emptyNotes, GROUP_EVENT, noMends } from '../../record/index.ts'
import type { EventsManifest } from '../../store/index.ts'
import type { Telemetry } from '../../telemetry/telemetry.ts'
import { continueCommand, plural } from '../../text/index.ts'

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

/** Where every group ended. A group's record becomes one event. */
function groupCounts({ records, events }: EventsManifest): Counts & { readonly generated: number } {
  const { read, rejected, filtered } = records
  const { written, duplicate, generated } = events
  return { read, written: written - generated, rejected, filtered, duplicate, pending: 0, generated }
}

/** The summary as JSON, as the result has it. */
export function groupsExportJson(out: string, manifest: EventsManifest): GroupsExportResult {
  const { days, rejects, mends, big_integers } = manifest
  return {
    version: 1,
    command: 'groups export',
    out,
    counts: groupCounts(manifest),
    days: Object.fromEntries(Object.entries(days).map(([day, count]) => [day, { [GROUP_EVENT]: count }])),
    rejects,
    mends,
    big_integers,
  }
}

/** The summary: what became of every group, and the command that imports the dataset. */
export function groupsExportSummary(out: string, manifest: EventsManifest): string {
  const { parts, rejects, mends, big_integers } = manifest
  const counts = groupCounts(manifest)
  const days = new Set(parts.map(({ day }) => day)).size
  const lines = [
    'groups export: done',
    ...countLines(counts, {
      written: `in ${plural(days, 'day')}, ${plural(parts.length, 'part')}`,
      rejected: topNames(rejects),
    }),
  ]
  if (counts.rejected > 0) lines.push(`  rejects are in ${join(out, 'rejects.ndjson')}`)
  const { duplicate_keys = 0, ...mended } = mends
  lines.push(
    ...noteLines({ ...emptyNotes(), mends: { ...noMends(), ...mended }, duplicate_keys, big_integers }),
  )
  // A type is as old as the event that makes it, and older events never show it. Groups are often younger than their events.
  lines.push(`  next, after the events that name them: ${continueCommand(['import', '--dataset', out])}`)
  return `${lines.join('\n')}\n`
}
