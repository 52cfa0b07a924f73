import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { GROUP_EVENT } from '../../record/group-event.ts'
import { folded } from '../../report/fold.ts'
import { visible } from '../../report/visible.ts'
import { ExportState } from '../../sources/export-state.ts'
import {
  type GroupsOptions,
  groupsOrder,
  groupsPieceName,
  TYPES_AT_ONCE,
} from '../../sources/posthog/groups.ts'
import { runExport } from '../../sources/run-export.ts'
import type { Order } from '../../sources/source.ts'
import { fileCell } from '../../store/cell.ts'
import { readEventsManifest } from '../../store/dataset.ts'
import { fileError } from '../../store/file-error.ts'
import { acquireLease, type LeaseRequest } from '../../store/lease.ts'
import { LocalStore } from '../../store/local.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { Pool } from '../../transform/pool.ts'
import { assertReplaceable, begin, prepare } from '../../transform/prepare.ts'
import { transform } from '../../transform/transform.ts'
import { VERSION } from '../../version.ts'

export interface DatasetOptions extends Omit<GroupsOptions, 'keep'> {
  /** The store of the dataset. */
  readonly out: string
  readonly gzip: boolean
  readonly bigIntegers: 'keep' | 'string'
}

const PRESET = 'posthog'

/**
 * Exports groups as raw records into a work folder and transforms these into a dataset of group events. The same call
 * continues where an earlier one was cut short.
 */
export async function exportDataset(options: DatasetOptions, io: Io): Promise<EventsManifest> {
  const { out, groups, types } = options
  const source = {
    kind: 'groups',
    preset: PRESET,
    host: groups.api.origin,
    project_id: groups.projectId,
    group_types: JSON.stringify(types.map(({ name }) => name)),
  }
  const store = await openStore(out)
  await assertReplaceable(store, out, source)
  const work = workFolder(out)
  await mkdir(work, { recursive: true }).catch((error) => {
    throw fileError(error, 'make the folder', work)
  })
  const cell = fileCell(join(work, 'lock'))
  const note = (text: string) => io.stderr.write(folded(visible(text), '  ', 'export: '))
  const waiting = { signal: io.interrupted, note }
  const lease = await acquireLease({ cell, purpose: `export of groups to ${out}`, ...waiting })
  try {
    const raw = await exportRaw(join(work, 'raw'), options, io.interrupted)
    await lease.look()
    await transformRaw(raw, source, options, waiting)
    await rm(work, { recursive: true, force: true })
  } finally {
    await lease.release()
  }
  return readEventsManifest(store)
}

/** Fetches the types' records that are still missing. Returns the paths of the files that hold all of them. */
async function exportRaw(folder: string, options: DatasetOptions, signal: AbortSignal): Promise<string[]> {
  const order = groupsOrder({ ...options, keep: (piece) => join(folder, `.${piece}.pages`) })
  const store = new LocalStore(folder)
  const state = await openState(store, order)
  const source = order.open({ asked: () => [], remember: async () => {} })
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
async function openState(store: LocalStore, { identity }: Order): Promise<ExportState> {
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
  waiting: Pick<LeaseRequest, 'note'> & { readonly signal: AbortSignal },
): Promise<void> {
  const request = { preset: PRESET, in: raw, out, gzip, bigIntegers, groupEventName: GROUP_EVENT }
  const prepared = await prepare({ ...request, dryRun: false, with: [] })
  const pool = new Pool(Math.min(prepared.cores, raw.length))
  try {
    const { job, look, release } = await begin({ job: prepared.job, source }, waiting)
    try {
      const options = { interrupted: waiting.signal, look, tool: `posthaul ${VERSION}`, source }
      const { error } = await transform(job, pool, options, { stage: () => {}, progress: () => {} })
      if (error) throw error
    } finally {
      await release()
    }
  } finally {
    await pool.close()
  }
}

/**
 * The folder of the raw records until the dataset is complete. It is inside a local dataset's folder, with a name that
 * stores skip; for a remote dataset it is in the current folder.
 */
function workFolder(out: string): string {
  if (!out.includes('://')) return join(out, '.groups-export')
  return join('.posthaul', `groups-export-${createHash('sha256').update(out).digest('hex').slice(0, 12)}`)
}
