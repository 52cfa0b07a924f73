import { closeSync, createReadStream, openSync, writeSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { formatReject } from '../../record/reject.ts'
import { dayText } from '../../record/time.ts'
import { MANIFEST, REJECTS, writeManifest } from '../../store/dataset.ts'
import type { EventPart, EventsManifest } from '../../store/manifest.ts'
import { parsePartName } from '../../store/part-name.ts'
import type { Store } from '../../store/store.ts'
import { KINDS, type Segment, sequence } from '../../transform/run/frame.ts'
import { RunWriter } from '../../transform/run/writer.ts'
import { sealDay } from '../../transform/seal/day.ts'
import { VERSION } from '../../version.ts'
import { GroupEvents } from './event.ts'
import type { Spool } from './spool.ts'

/** `source.kind` of a dataset that an export of groups made. */
export const GROUPS = 'groups'

export interface SealOptions {
  readonly store: Store
  /** A folder of this machine for the runs. */
  readonly work: string
  readonly gzip: boolean
  readonly bigIntegersAsStrings: boolean
  /** Microseconds since the epoch. */
  readonly now: number
}

/** Makes a dataset of what the spools hold: a part a UTC day, in time order, the manifest last. */
export async function sealGroups(spools: readonly Spool[], options: SealOptions): Promise<EventsManifest> {
  const { store, work, gzip } = options
  await rm(work, { recursive: true, force: true })
  await mkdir(work, { recursive: true })
  const sorted = await sortIntoRuns(spools, options)
  // From here on the old dataset is being replaced: no moment may show its manifest beside new parts.
  await store.remove(MANIFEST)
  const parts: EventPart[] = []
  const days: Record<string, Record<string, number>> = {}
  const totals = { written: 0, duplicate: 0 }
  for (const [day, segments] of byDay(sorted.segments)) {
    const sealed = await sealDay(day, segments, { folder: work, store, gzip })
    parts.push(...sealed.parts)
    days[dayText(day)] = sealed.names
    totals.written += sealed.written
    totals.duplicate += sealed.duplicate
  }
  const rejected = Object.values(sorted.reasons).reduce((sum, n) => sum + n, 0)
  if (rejected > 0) await store.put(REJECTS, createReadStream(join(work, REJECTS)))
  const { notes } = sorted.events.completer
  const manifest: EventsManifest = {
    version: 1,
    kind: 'events',
    tool: `posthaul ${VERSION}`,
    created_at: new Date(options.now / 1000).toISOString(),
    source: sourceOf(spools),
    parts,
    counts: {
      read: sorted.read,
      written: totals.written,
      rejected,
      filtered: 0,
      duplicate: totals.duplicate,
      pending: 0,
      generated: 0,
    },
    days,
    rejects: sorted.reasons,
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: sorted.events.bigIntegers,
  }
  await dropOld(store, manifest)
  await writeManifest(store, manifest)
  await rm(work, { recursive: true, force: true })
  return manifest
}

async function sortIntoRuns(spools: readonly Spool[], { work, now, bigIntegersAsStrings }: SealOptions) {
  const events = new GroupEvents(now, bigIntegersAsStrings)
  const runs = new RunWriter(work, 'groups', events.completer.writer)
  const reasons: Record<string, number> = {}
  const rejects = openSync(join(work, REJECTS), 'w')
  let read = 0
  try {
    for (const [unit, spool] of spools.entries()) {
      const { type } = spool.head
      let line = 0
      await spool.read((group, offset) => {
        const outcome = events.write(type, group)
        read++
        line++
        if ('instant' in outcome) return runs.add(outcome.instant, sequence(unit, line), KINDS.own)
        const { reason, message } = outcome.refusal
        reasons[reason] = (reasons[reason] ?? 0) + 1
        writeSync(
          rejects,
          formatReject({ line, offset, reason, message, record: outcome.record, file: type }),
        )
      })
    }
  } finally {
    closeSync(rejects)
  }
  runs.flush()
  return { events, segments: runs.segments, reasons, read }
}

function byDay(segments: readonly Segment[]): [number, Segment[]][] {
  const days = new Map<number, Segment[]>()
  for (const segment of segments) {
    const same = days.get(segment.day)
    if (same) same.push(segment)
    else days.set(segment.day, [segment])
  }
  return [...days].sort(([a], [b]) => a - b)
}

function sourceOf(spools: readonly Spool[]): Record<string, string> {
  const { origin, project } = spools[0]!.head
  const types = spools.map(({ head }) => head.type)
  return { kind: GROUPS, host: origin, project_id: project, group_types: JSON.stringify(types) }
}

/** Removes what an older export left here and the new one does not have. */
async function dropOld(store: Store, manifest: EventsManifest): Promise<void> {
  const kept = new Set(manifest.parts.map(({ file }) => file))
  if (manifest.counts.rejected > 0) kept.add(REJECTS)
  for (const { name } of await store.list()) {
    if (!kept.has(name) && (name === REJECTS || parsePartName(name))) await store.remove(name)
  }
}
