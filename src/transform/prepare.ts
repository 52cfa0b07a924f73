import { createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { availableParallelism, tmpdir } from 'node:os'
import { isAbsolute, join, relative, resolve, sep } from 'node:path'
import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { listInputs } from '../inputs/list.ts'
import { NO_COLUMNS } from '../mapping/columns.ts'
import { type Mapping, NO_MAPPING } from '../mapping/mapping.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import type { Preset } from '../mapping/preset.ts'
import { loadPreset } from '../mapping/presets/index.ts'
import { importIdOf, rulesOf } from '../mapping/rules-version.ts'
import { switchesOf } from '../mapping/switches.ts'
import { fileCell } from '../store/cell.ts'
import { assertPlaceFor, datasetWords, findManifest, MANIFEST, occupied } from '../store/dataset.ts'
import { fileError } from '../store/file-error.ts'
import { acquireLease, type LeaseRequest } from '../store/lease.ts'
import type { EventsManifest, Manifest } from '../store/manifest.ts'
import { openStore } from '../store/open.ts'
import type { Store } from '../store/store.ts'
import { MICROS_PER_MS } from '../units.ts'
import { VERSION } from '../version.ts'
import { columnsFor } from './columns-for.ts'
import type { Job } from './job.ts'
import { Journal } from './journal.ts'
import { cutUnits } from './plan.ts'
import { presetMissing } from './wrong-input.ts'

/** What the user asked for, as on the command line. */
export interface TransformRequest {
  readonly preset?: string | undefined
  readonly in: readonly string[]
  readonly out?: string | undefined
  readonly map?: string | undefined
  readonly gzip: boolean
  readonly dryRun: boolean
  readonly sourceTimezone?: string | undefined
  readonly personProperties?: Mapping['personProperties'] | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
  readonly groupEventName: string
  readonly with: readonly string[]
  /** The value of `$import_job_id`, false for none; the preset's own when it is undefined. */
  readonly importId?: string | false | undefined
}

export interface Prepared {
  readonly job: Job
  /** For the manifest: where the events come from. */
  readonly source: Readonly<Record<string, string>>
  readonly cores: number
}

/** Name of the work folder inside a dataset on this machine; the store passes over it. */
const WORK = '.posthaul-transform'

/** Checks a request and makes the job. Reads the head of every input; writes nothing. */
export async function prepare(request: TransformRequest): Promise<Prepared> {
  // Loaded when there is one: what reads YAML takes as long to start as all the rest of a transform.
  const file =
    request.map === undefined ? undefined : await (await import('./load-mapping.ts')).loadMapping(request.map)
  // A mapping file without a preset is of rows that are events already.
  const preset = request.preset ?? file?.preset ?? (file ? 'events' : undefined)
  const loaded = preset === undefined ? undefined : await loadPreset(preset)
  if (loaded) switchesOf(request.with, preset!, loaded)
  const inputs = await withoutOutput(await listInputs(request.in), request)
  if (preset === undefined || !loaded)
    throw await presetMissing(inputs, request.in.join(' '), Date.now() * MICROS_PER_MS)
  const job = makeJob(request, file, loaded, preset, inputs)
  const source = { preset, ...(file && { mapping_sha256: file.sha256 }), inputs: request.in.join(' ') }
  if (!request.dryRun && request.out === undefined) {
    throw new PosthaulError('no place for the events was named', {
      code: 'usage',
      hint: 'add --out events/ (a folder that is made when it is not there), or --dry-run to write nothing',
    })
  }
  return { job, source, cores: availableParallelism() }
}

/** A job with its dataset's lease and with the results of an earlier run. */
export interface BegunJob {
  readonly job: Job
  /** Throws once another run has the dataset. */
  look(): Promise<void>
  release(): Promise<void>
}

/** Takes the dataset's lease and opens the journal. From here on an older dataset in that place is no longer whole. */
export async function begin(
  { job, source }: Pick<Prepared, 'job' | 'source'>,
  waiting: Pick<LeaseRequest, 'signal' | 'note'>,
  rulesChanged = false,
): Promise<BegunJob> {
  const store = await openStore(job.out)
  const work = workFolder(job.out)
  await mkdir(work.parent, { recursive: true }).catch((error: unknown) => {
    throw fileError(error, 'make', work.parent)
  })
  const cell = fileCell(join(work.parent, `${work.name}.lock`))
  const lease = await acquireLease({ cell, purpose: `transform to ${job.out}`, ...waiting })
  try {
    const folder = join(work.parent, work.name)
    await assertInputsStay(job)
    await assertReplaceable(store, job.out, source, rulesChanged ? undefined : job.rules)
    const begun = await new Journal(folder).begin({ ...job, work: folder }, VERSION).catch((error) => {
      throw fileError(error, 'write', folder)
    })
    await store.sweep()
    // See store/manifest.ts: the old manifest goes first.
    await store.remove(MANIFEST)
    return { job: begun, look: () => lease.look(), release: () => lease.release() }
  } catch (error) {
    await lease.release()
    throw error
  }
}

/**
 * `--in . --out events/` means the files beside events/, also when the command is run again: an earlier run's output is
 * no input, unless it is named itself.
 */
async function withoutOutput(inputs: InputFile[], request: TransformRequest): Promise<InputFile[]> {
  if (request.out === undefined) return inputs
  const out = await realPath(request.out)
  const lies = async (path: string) => `${await realPath(path)}${sep}`.startsWith(out + sep)
  const named = await Promise.all(request.in.map(lies))
  if (named.includes(true)) return inputs
  const inside = await Promise.all(inputs.map(({ path }) => lies(path)))
  const kept = inputs.filter((_, index) => !inside[index])
  if (kept.length > 0 || inputs.length === 0) return kept
  throw new PosthaulError(`${request.in.join(' ')} holds no input files beside those in ${request.out}`, {
    code: 'input',
    hint: 'check the path; --out is where events go',
  })
}

async function realPath(path: string): Promise<string> {
  return realpath(path).catch(() => resolve(path))
}

function makeJob(
  request: TransformRequest,
  file: MappingFile | undefined,
  loaded: Preset,
  preset: string,
  inputs: InputFile[],
): Job {
  const base = file?.mapping ?? NO_MAPPING
  const mapping: Mapping = {
    ...base,
    sourceTimezone: request.sourceTimezone ?? base.sourceTimezone,
    personProperties: request.personProperties ?? base.personProperties,
    bigIntegersAsStrings: request.bigIntegers ? request.bigIntegers === 'string' : base.bigIntegersAsStrings,
  }
  return {
    preset,
    rules: rulesOf(loaded),
    importId: request.importId === false ? null : (request.importId ?? importIdOf(loaded)),
    mapping,
    columns: columnsFor(file?.columns ?? NO_COLUMNS, preset, loaded, inputs),
    switches: [...request.with].sort(),
    groupEventName: request.groupEventName,
    gzip: request.gzip,
    out: request.out ?? '',
    work: undefined,
    now: Date.now() * MICROS_PER_MS,
    inputs,
    units: cutUnits(inputs),
  }
}

/** Runs and the journal stay on this machine: inside the dataset's folder, or in the temporary one for a bucket. */
function workFolder(out: string): { parent: string; name: string } {
  if (!/^[a-z][a-z0-9+.-]+:\/\//i.test(out)) return { parent: resolve(out), name: WORK }
  const name = `posthaul-${createHash('sha256').update(out).digest('hex').slice(0, 16)}`
  return { parent: tmpdir(), name }
}

/** Refuses inputs that lie where the events go. Folders whose names begin with a dot are no part of a dataset. */
async function assertInputsStay({ out, inputs }: Job): Promise<void> {
  const folder = await realPath(out)
  for (const { path } of inputs) {
    const inside = relative(folder, await realPath(path))
    if (inside.startsWith('.') || isAbsolute(inside)) continue
    throw new PosthaulError(`${path} is an input and lies in the folder for the events, ${out}`, {
      code: 'usage',
      hint: 'choose another folder for --out: what is there would be replaced',
    })
  }
}

/** Refuses to write over anything but an empty place or the events of the same source, made before. */
export async function assertReplaceable(
  store: Store,
  out: string,
  source: Prepared['source'],
  rules?: string,
): Promise<void> {
  await assertPlaceFor(store, source.kind === 'groups' ? 'groups' : 'events')
  const manifest = (await findManifest(store))?.manifest
  if (manifest?.kind === 'events') {
    assertSameSource(out, source, manifest)
    if (rules !== undefined) assertSameRules(out, rules, manifest)
    return
  }
  const { parent, name } = workFolder(out)
  if (new Journal(join(parent, name)).exists || (await store.list()).length === 0) return
  throw new PosthaulError(`${out} is not empty, and what it holds is no events dataset`, {
    code: 'usage',
    hint: 'choose an empty folder for --out',
  })
}

/** Events that other rules make are other events: where the older ones were sent, these would be sent beside them. */
function assertSameRules(out: string, now: string, { rules, tool }: EventsManifest): void {
  if (rules === now) return
  const older = rules === null ? `those of ${tool}` : rules
  throw new PosthaulError(`${out} holds events that other rules made (${older}; now ${now})`, {
    code: 'input',
    hint: 'their names or ids may differ, and the service would keep both: go on with the posthaul that made them; if none of them was sent, add --rules-changed',
  })
}

/** Making a dataset again from its source is fine; writing Amplitude's over Mixpanel's by mistake is a loss. */
function assertSameSource(out: string, now: Prepared['source'], manifest: Manifest): void {
  const { preset, inputs } = manifest.source
  const trimmed = (text = '') => text.replaceAll(/\/+( |$)/g, '$1')
  if (now.preset === preset && trimmed(now.inputs) === trimmed(inputs)) return
  throw occupied(out, datasetWords(manifest))
}
