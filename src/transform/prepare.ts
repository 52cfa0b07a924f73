import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { type InputFile, readAs } from '../inputs/input-file.ts'
import { listInputs } from '../inputs/list.ts'
import { type FileRemark, remarkWords } from '../inputs/manifests/remark.ts'
import type { MappingFile } from '../mapping/mapping-file.ts'
import { switchesOf } from '../mapping/preset.ts'
import { namePreset, presetOf } from '../pipeline/preset-of.ts'
import { planSides } from '../pipeline/side/build.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import { fileCell } from '../state/cell.ts'
import { acquireLease, type LeaseRequest } from '../state/lease.ts'
import { isWorkBegun, leaseWork, type WorkPlace } from '../state/work-folder.ts'
import { fileError } from '../store/file-error.ts'
import { MANIFEST } from '../store/name.ts'
import { openStore } from '../store/open.ts'
import { makeFolder } from '../store/own-file.ts'
import { assertNoLink } from '../store/ownership.ts'
import { isS3 } from '../store/s3-location.ts'
import { keptInputs } from '../store/source-inputs.ts'
import { VERSION } from '../version.ts'
import { lookAtEarlier } from './after/earlier.ts'
import { readForgetList } from './forget/forget-list.ts'
import { hashKeyFrom } from './hash-key.ts'
import type { Job } from './job.ts'
import { Journal } from './journal.ts'
import { columnsElsewhere, firstHeader, makeJob, type TransformRequest } from './make-job.ts'
import { assertInputsStay, assertOutside, assertReplaceable, withoutOutput } from './output-apart.ts'
import type { LookAtRules } from './rules-made.ts'
import { trialSource } from './trial/trial-order.ts'
import { presetMissing } from './wrong-input.ts'

export type { TransformRequest } from './make-job.ts'

export type Prepared = Readonly<Awaited<ReturnType<typeof prepare>>>

/** The switch of a preset whose vendor changes the newest days: see inputs/manifests/vendor-manifests.ts. */
const UNSETTLED_DAYS = 'unsettled-days'

/** Name of the work folder inside a dataset on this machine; the store passes over it. */
const WORK = '.posthaul-transform'
/** Name of the folder in a work folder for the sealed days of the whole that a trial is taken from. */
const WHOLE = 'whole'

/** What is known already of what a request names, and is not read again. */
export interface Known {
  /** In place of the file that `map` names. */
  readonly mapping?: MappingFile
  /** What `in` names. */
  readonly inputs?: readonly InputFile[]
}

/** Checks a request and makes the job. Reads the head of every input; writes nothing. */
export async function prepare(request: TransformRequest, known: Known = {}) {
  if (!request.dryRun && request.out === undefined) {
    throw new PosthaulError('no place for the events was named', {
      code: 'usage',
      hint: 'add --out events/ (a folder that is made when it is not there), or --dry-run to write nothing',
    })
  }
  const file = known.mapping ?? (await mappingOf(request))
  // A mapping file without a preset is of rows that are events already.
  const preset = request.preset ?? file?.preset ?? (file ? 'events' : undefined)
  const named = preset === undefined ? undefined : await namePreset(preset)
  const loaded = named && (await presetOf({ ...named, mapping: file?.mapping }))
  if (loaded) switchesOf(request.with, preset!, loaded)
  const remarks: FileRemark[] = []
  const choose = {
    remark: (one: FileRemark) => remarks.push(one),
    unsettledDays: request.with.includes(UNSETTLED_DAYS),
  }
  await assertOutside(request)
  const found = await withoutOutput(known.inputs ?? (await listInputs(request.in, choose)), request)
  const reading = { encoding: file?.encoding, json: file?.json }
  const listed = readAs(found, reading)
  if (preset === undefined || !loaded) throw await presetMissing(listed, request.in)
  const planned = await planSides({ preset, loaded, join: request.join ?? [], choose }, listed)
  const { records: inputs } = planned
  const sides = planned.sides.map((side) => ({ ...side, inputs: readAs(side.inputs, reading) }))
  const hashKey = file && file.mapping.hash.length > 0 ? hashKeyFrom(await request.hashKey?.()) : undefined
  const forget = file?.forget && { ...(await readForgetList(file.forget.file)), all: file.forget.all }
  const made = makeJob(request, file, { preset, loaded }, inputs)
  const elsewhere = await columnsElsewhere(made.columns, listed)
  const first = await firstHeader(made.columns, inputs)
  const columns = { ...made.columns, ...(elsewhere && { elsewhere }), ...(first && { first }) }
  const after = await lookAtEarlier(request.after ?? [], {
    rules: made.rules,
    guard: request.guard,
    hashKey: hashKey?.fingerprint,
    mapping: file?.sha256,
    out: made.out,
  })
  const job: Job = { ...made, ...named, columns, hashKey, forget, after }
  const source: Readonly<Record<string, string>> = {
    preset,
    ...(named?.presetSha256 && { preset_sha256: named.presetSha256 }),
    ...(file && { mapping_sha256: file.sha256 }),
    ...(hashKey && { hash_key: hashKey.fingerprint }),
    ...(forget && { forget_sha256: forget.sha256 }),
    rules_sha256: rulesPrint(job, file),
    ...keptInputs(request.in),
    ...(after.length > 0 && { after: after.map(({ location }) => location).join(' ') }),
    ...(job.trial && trialSource(job.trial)),
    ...(remarks.length > 0 && { input_files: remarks.map(remarkWords).join('; ') }),
  }
  return {
    job,
    preset: loaded,
    /** Undefined where no mapping file was named. */
    file,
    /** What the job's `sideTables` are to be built of. */
    sides,
    /** What a vendor's manifests make of the files in the inputs' folders. */
    remarks,
    source,
    cores: availableParallelism(),
  }
}

/** Of all that decides what an event is called and holds. What is left out, by a filter or a list of people, is no part. */
function rulesPrint(job: Job, file: MappingFile | undefined): string {
  const { preset, presetSha256, rules, importId, mapping, switches, hashKey } = job
  const { filter: _, ...named } = mapping
  const reading = [file?.columns, file?.encoding]
  const all = [
    preset,
    presetSha256,
    rules,
    importId,
    named,
    reading,
    switches,
    GROUP_EVENT,
    hashKey?.fingerprint,
  ]
  return createHash('sha256').update(JSON.stringify(all)).digest('hex')
}

/** Loaded when there is one: what reads YAML takes as long to start as all the rest of a transform. */
async function mappingOf({ map }: TransformRequest): Promise<MappingFile | undefined> {
  return map === undefined ? undefined : (await import('./load-mapping.ts')).loadMapping(map)
}

/** How to take the lease, and where work folders of datasets in buckets are. */
export interface WaitingForWork extends Pick<LeaseRequest, 'signal' | 'note'> {
  readonly workHome: string
}

/** A job with its dataset's lease and with the results of an earlier run. */
export interface BegunJob {
  readonly job: Job
  /** Throws once another run has the dataset. */
  look(): Promise<void>
  release(): Promise<void>
}

/** The job whose days are sealed into its work folder, from where a trial is taken. Nothing is gained by packing them there. */
function sealedWithin(job: Job, folder: string): Job {
  return { ...job, out: join(folder, WHOLE), gzip: false }
}

/** Takes the dataset's lease and opens the journal. From here on an older dataset in that place is no longer whole. */
export async function begin(
  { job, source }: Pick<Prepared, 'job' | 'source'>,
  waiting: WaitingForWork,
  guard?: LookAtRules,
): Promise<BegunJob> {
  const store = await openStore(job.out)
  const { workHome, ...held } = waiting
  const work = isS3(job.out)
    ? await leaseWork({ home: workHome, command: 'transform', out: job.out, ...held })
    : await leaseLocal(job.out, held)
  try {
    await assertInputsStay(job)
    await assertReplaceable(store, job.out, { source, begun: work.begun, rules: job.rules, guard })
    const folder = await work.open()
    const begun = await new Journal(folder).begin({ ...job, work: folder }, VERSION).catch((error) => {
      throw fileError(error, 'write', folder)
    })
    await store.sweep()
    // See store/manifest.ts: the old manifest goes first.
    await store.remove(MANIFEST)
    return {
      job: job.trial ? sealedWithin(begun, folder) : begun,
      look: () => work.look(),
      release: () => work.release(),
    }
  } catch (error) {
    await work.release()
    throw error
  }
}

/** Runs and the journal stay on this machine: inside a local dataset's folder. For a bucket see store/work-folder.ts. */
async function leaseLocal(out: string, held: Pick<LeaseRequest, 'signal' | 'note'>): Promise<WorkPlace> {
  const parent = resolve(out)
  await makeFolder(parent)
  const folder = join(parent, WORK)
  await assertNoLink(folder)
  const cell = fileCell(`${folder}.lock`)
  const lease = await acquireLease({ cell, purpose: `transform to ${out}`, ...held })
  return {
    begun: new Journal(folder).exists,
    open: async () => folder,
    look: () => lease.look(),
    release: () => lease.release(),
  }
}

/** True if an earlier run began a transform to this place and did not come to its end. */
export async function isBegun(out: string, workHome: string): Promise<boolean> {
  if (isS3(out)) return isWorkBegun({ home: workHome, command: 'transform', out })
  return new Journal(join(resolve(out), WORK)).exists
}
