import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DRAIN_MS } from '../../drain.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { chooseType, withGroups } from '../../imports/api-session.ts'
import { assertWorkDir, workHome } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { GROUP_EVENT } from '../../record/rules.ts'
import type { Groups, GroupType } from '../../service/groups.ts'
import { ExportState } from '../../sources/export-state.ts'
import {
  type GroupsOptions,
  groupsOrder,
  groupsPieceName,
  TYPES_AT_ONCE,
  usualVia,
} from '../../sources/posthog/groups.ts'
import { runExport } from '../../sources/run-export.ts'
import type { ExportOrder } from '../../sources/source.ts'
import { fileCell } from '../../state/cell.ts'
import { acquireLease, type LeaseRequest } from '../../state/lease.ts'
import { leaseWork, type WorkPlace } from '../../state/work-folder.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { LocalStore } from '../../store/local.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { makeFolder } from '../../store/own-file.ts'
import { assertNoLink } from '../../store/ownership.ts'
import { isS3 } from '../../store/s3-location.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { plural } from '../../text/words.ts'
import { assertReplaceable } from '../../transform/output-apart.ts'
import { Pool } from '../../transform/pool.ts'
import { begin, isBegun, prepare, type WaitingForWork } from '../../transform/prepare.ts'
import { transformInputs } from '../../transform/transform.ts'
import { VERSION } from '../../version.ts'
import { countLines, noteLines, topNames } from '../lines.ts'
import type { ExportCall } from './index.ts'
import type { GroupsExportResult } from './result.ts'

export { groupsExportResult as schema } from './result.ts'

export const exit = ({ counts }: GroupsExportResult) => (counts.rejected > 0 ? EXIT.rejects : EXIT.done)

/** The service gives a project this many group types and ignores groups of any other. */
const MAX_TYPES = 5

/** How many groups were read is told so often: the total is known only at the end. */
const TOLD_EVERY_MS = 10_000

/** Writes groups as a dataset. */
export async function* run(call: ExportCall, io: Io): AsyncGenerator<GroupsExportResult> {
  const { type, allTypes, out, via, gzip, bigIntegers, workDir } = call.values
  if ((type === undefined) === !allTypes) {
    throw new PosthaulError('say which groups: either --type or --all-types', { code: 'usage' })
  }
  assertWorkDir(call.values)
  let toldAt = Date.now()
  yield await withGroups(call, io, async (groups) => {
    const types = await chosenTypes(groups, type)
    if (types.length > MAX_TYPES) {
      const text = `${types.length} group types: the service takes ${MAX_TYPES} a project and ignores groups of the others`
      io.telemetry.note('posthaul', text, 'warn')
    }
    const dataset = {
      groups,
      types,
      via: via ?? (await usualVia(groups, types[0]!)),
      out,
      gzip,
      bigIntegers,
      workHome: workHome(io.env, workDir),
      onPage: ({ name }: GroupType, total: number) => {
        if (Date.now() - toldAt < TOLD_EVERY_MS) return
        toldAt = Date.now()
        io.telemetry.note('posthaul', `${plural(total, 'group')} of type ${name} so far`)
      },
    }
    const { records, events, days, parts, rejects, mends, big_integers } = await exportDataset(dataset, io)
    const { read, rejected, filtered } = records
    const { written, duplicate, generated } = events
    return {
      ...{ version: 1, command: 'groups export', out },
      // A group's record becomes one event.
      counts: { read, written: written - generated, rejected, filtered, duplicate, pending: 0, generated },
      days: Object.fromEntries(Object.entries(days).map(([day, count]) => [day, { [GROUP_EVENT]: count }])),
      ...{ parts: parts.length, rejects, mends, big_integers },
    }
  })
}

async function chosenTypes(groups: Groups, type: string | undefined): Promise<readonly GroupType[]> {
  if (type !== undefined) return [await chooseType(groups, type)]
  const types = await groups.types()
  if (types.length > 0) return types
  throw new PosthaulError('this project has no group types, so there is nothing to export', { code: 'input' })
}

interface DatasetOptions extends Omit<GroupsOptions, 'keep'> {
  /** The store of the dataset. */
  readonly out: string
  readonly gzip: boolean
  /** Where work folders of datasets in buckets are. */
  readonly workHome: string
  readonly bigIntegers: 'keep' | 'string'
}

const PRESET = 'posthog'

/**
 * Exports groups as raw records into a work folder and transforms these into a dataset of group events. The same call
 * continues where an earlier one was cut short.
 */
async function exportDataset(options: DatasetOptions, io: Io): Promise<EventsManifest> {
  const { out, groups, types, workHome } = options
  const source = {
    kind: 'groups',
    preset: PRESET,
    host: groups.api.origin,
    project_id: groups.projectId,
    group_types: JSON.stringify(types.map(({ name }) => name)),
  }
  const store = await openStore(out)
  await assertReplaceable(store, out, { source, begun: await isBegun(out, workHome) })
  const note = (text: string) => io.telemetry.note('export', text, 'warn')
  const held = { signal: io.interrupted, note }
  const work = isS3(out)
    ? await leaseWork({ home: workHome, command: 'groups-export', out, ...held })
    : await leaseLocal(out, held)
  io.drain.allow(DRAIN_MS)
  try {
    const folder = await work.open()
    const raw = await exportRaw(join(folder, 'raw'), options, io.interrupted)
    await work.look()
    await transformRaw(raw, source, options, { ...held, workHome })
    await rm(folder, { recursive: true, force: true })
  } finally {
    await work.release()
  }
  return readEventsManifest(store)
}

/** Fetches the types' records that are still missing. Returns the paths of the files that hold all of them. */
async function exportRaw(folder: string, options: DatasetOptions, signal: AbortSignal): Promise<string[]> {
  const order = groupsOrder({ ...options, keep: (piece) => join(folder, `.${piece}.pages`) })
  const store = new LocalStore(folder)
  const state = await openState(store, order)
  const source = order.open(state.memory)
  let refused: PosthaulError | undefined
  await runExport({
    order,
    source,
    store,
    state,
    concurrency: TYPES_AT_ONCE,
    signal,
    // The project API retries by itself before it throws.
    retry: { retryForMs: 0, clock: systemClock, random: Math.random },
    scratch: (name) => join(folder, `.${name}`),
    listener: {
      frozen: () => {},
      retry: () => {},
      refused: (_, error) => {
        refused ??= error
      },
      note: () => {},
    },
  })
  if (refused) throw refused
  return options.types.map((type) => store.address(state.frozen(groupsPieceName(type))!.file))
}

/** The state of this export. Removes what an export of something else, such as other types, left in the work folder. */
async function openState(store: LocalStore, { identity }: ExportOrder): Promise<ExportState> {
  try {
    return await ExportState.open(store, identity)
  } catch (error) {
    if (!(error instanceof PosthaulError && error.code === 'mismatch')) throw error
    await rm(store.location, { recursive: true, force: true })
    return ExportState.open(store, identity)
  }
}

async function transformRaw(
  raw: readonly string[],
  source: Readonly<Record<string, string>>,
  { out, gzip, bigIntegers }: DatasetOptions,
  waiting: WaitingForWork & { readonly signal: AbortSignal },
): Promise<void> {
  const request = { preset: PRESET, in: raw, out, gzip, bigIntegers, dryRun: false, with: [] }
  const prepared = await prepare(request)
  const pool = new Pool(Math.min(prepared.cores, raw.length))
  try {
    const { job, look, release } = await begin({ job: prepared.job, source }, waiting)
    try {
      const tool = `posthaul ${VERSION}`
      const options = { interrupted: waiting.signal, look, tool, source, isPart: false }
      const { error } = await transformInputs(job, pool, options, { stage: () => {}, progress: () => {} })
      if (error) throw error
    } finally {
      await release()
    }
  } finally {
    await pool.close()
  }
}

/** The raw records of a local dataset are inside its folder, under a name that stores skip, until it is complete. */
async function leaseLocal(
  out: string,
  held: Pick<LeaseRequest, 'signal' | 'note'>,
): Promise<Omit<WorkPlace, 'begun'>> {
  const folder = join(out, '.groups-export')
  await assertNoLink(folder)
  await makeFolder(folder)
  const cell = fileCell(join(folder, 'lock'))
  const lease = await acquireLease({ cell, purpose: `export of groups to ${out}`, ...held })
  return { open: async () => folder, look: () => lease.look(), release: () => lease.release() }
}

/** What became of every group, and the command that imports the dataset. */
export function lines(result: GroupsExportResult): string[] {
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
