import { join } from 'node:path'
import type { Counts } from '../record/counts.ts'
import { emptyNotes } from '../record/notes.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { continueCommand } from './command-line.ts'
import { countLines, noteLines, topNames } from './summary.ts'
import { visible } from './visible.ts'
import { plural } from './words.ts'

const EVERY_MS = 10_000

/** Prints every ten seconds how many groups have been read. The total is known only at the end. */
export function pageReporter(
  stderr: NodeJS.WritableStream,
  now = Date.now,
): (type: string, total: number) => void {
  let last = now()
  return (type, total) => {
    if (now() - last < EVERY_MS) return
    last = now()
    stderr.write(`posthaul: ${plural(total, 'group')} of type ${visible(type)} so far\n`)
  }
}

/** Where every group ended. A group's record becomes one event. */
export function groupCounts({ records, events }: EventsManifest): Counts & { readonly generated: number } {
  const { read, rejected, filtered } = records
  const { written, duplicate, generated } = events
  return { read, written: written - generated, rejected, filtered, duplicate, pending: 0, generated }
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
  const { lone_surrogate = 0, huge_number = 0, big_integer = 0, duplicate_keys = 0 } = mends
  const mended = { lone_surrogate, huge_number, big_integer }
  lines.push(...noteLines({ ...emptyNotes(), mends: mended, duplicate_keys, big_integers }))
  // A group type exists from its first event on. Events that are sent before it do not count for its groups.
  lines.push(
    `  next, before you import events that name them: ${continueCommand(['import', '--dataset', out])}`,
  )
  return `${lines.join('\n')}\n`
}
