import { DRAIN_MS } from '../../drain.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import { type GuardedRun, guardedRun, guardFindings, standing } from '../../guards/guards.ts'
import { FAILING_TESTS } from '../../guards/tests.ts'
import { assertWorkDir, workHome } from '../../imports/state-place.ts'
import { areExports, emptyInput } from '../../inputs/read.ts'
import type { Io } from '../../io.ts'
import { type JoinedJob, SideTables } from '../../records/side-tables.ts'
import { isFinished } from '../../store/dataset.ts'
import { openStore } from '../../store/open.ts'
import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import type { StudioRecord } from '../../studio/studio-data.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { COLUMNS } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { Forgotten } from '../../transform/forget/id-set.ts'
import type { Job } from '../../transform/job.ts'
import { workersFor } from '../../transform/make-job.ts'
import { interruptedError, Pool } from '../../transform/pool.ts'
import { type BegunJob, begin, isBegun, type Prepared, prepare } from '../../transform/prepare.ts'
import type { SampleOrder } from '../../transform/sample.ts'
import { sample, transformInputs } from '../../transform/transform.ts'
import type { Transformed, TransformRunOptions } from '../../transform/transform-tally.ts'
import { unusable } from '../../transform/wrong-input.ts'
import { VERSION } from '../../version.ts'
import type { Call, Screen } from '../command.ts'
import { leftOutLines } from '../left-out.ts'
import { labelled } from '../lines.ts'
import type { TRANSFORM_ROWS, TransformValues } from '../transform-options.ts'
import { requestOf } from '../transform-request.ts'
import { dryRunLines } from './dry-run.ts'
import { countedLines, noticeLines } from './notices.ts'
import type { TransformResult } from './result.ts'
import { noSample, sampleAlone, stoppedAt, withoutForgotten } from './sample-result.ts'
import { isWindow, type TransformEnd, transformOf } from './transform-of.ts'
import { withoutJoined } from './transform-parts.ts'

/** Records that a dry run shows where nobody says how many. */
const SHOWN = 6

export { transformResult as schema } from './result.ts'

export const exit = ({ counts }: TransformResult) => (counts.rejected > 0 ? EXIT.rejects : EXIT.done)

/** Transforms, or tries to. Throws what is wrong before the first record; what ends it later comes after its result. */
export async function* run(
  { values }: Pick<Call<typeof TRANSFORM_ROWS>, 'values'>,
  world: Io,
): AsyncGenerator<TransformResult> {
  const started = Date.now()
  // Loaded here: it draws what no other transform traces.
  const draw = values.dryRun && !values.json ? await import('./dry-run.ts') : undefined
  const ended = await transform(values, world, (shown) => {
    // Before all of the input is read, which can take long.
    if (draw) world.stdout.write(draw.shownText(shown, world.stdout.columns ?? COLUMNS))
  })
  yield transformOf(ended, values, { ...world, seconds: (Date.now() - started) / 1000 })
  const { error } = ended.result
  if (!error) return
  throw error.code === 'interrupted' && !values.dryRun ? interruptedError('what is finished is kept') : error
}

/** `show`: is given the records that a dry run shows, before it reads all of the input. */
async function transform(
  values: TransformValues,
  io: Io,
  show: (shown: readonly StudioRecord[]) => void,
): Promise<TransformEnd> {
  if (values.sample !== undefined && !values.dryRun) {
    throw new PosthaulError('--sample is for a dry run: a dataset is made of all records', {
      code: 'usage',
      hint: 'add --dry-run to try a sample, or leave --sample out',
    })
  }
  assertWorkDir(values)
  const guard = guardOf(values, io)
  const request = { ...requestOf(values, io), guard }
  const prepared = await prepare(request)
  const { job, cores, file } = prepared
  if (file) {
    // Loaded here: what reads YAML takes as long to start as all the rest.
    const { testFacts } = await import('../../mapping-tests/test-facts.ts')
    guard(await testFacts({ map: request.map!, file, options: request }, io))
  }
  io.drain.allow(DRAIN_MS)
  // A preset from a file may never come back: a thread that does not can be ended.
  const usual = Math.max(workersFor(job.units, cores), job.presetSha256 === undefined ? 0 : 1)
  const pool = new Pool(Math.min(values.workers ?? usual, Math.max(1, job.units.length)))
  const sides = new SideTables(prepared, io)
  try {
    return await runOn({ pool, prepared, sides }, values, io, show)
  } finally {
    await pool.close()
    await sides.remove()
  }
}

/** Tries a sample, and transforms. */
async function runOn(
  { pool, prepared, sides }: Pick<SampleTask, 'pool' | 'prepared' | 'sides'>,
  values: TransformValues,
  io: Io,
  show: (shown: readonly StudioRecord[]) => void,
): Promise<TransformEnd> {
  const { dryRun, sample: spread } = values
  const isPart = isWindow(prepared.job, values, io) || prepared.job.trial !== undefined
  const order = { spread }
  const first = await trySample({ pool, prepared, sides, order }, values, io)
  let { tried, joined, error } = first
  if (error === undefined && joined?.job.forget) {
    try {
      joined = { ...joined, job: await withoutForgotten(joined.job, pool, io, isPart || dryRun) }
      if (dryRun) tried = await sample(joined.job, pool, order, io.interrupted)
    } catch (caught) {
      if (!(caught instanceof PosthaulError)) throw caught
      error = caught
    }
  }
  // Until it is known who is forgotten, no record is shown.
  const isHidden = error !== undefined && prepared.job.forget !== undefined
  if (isHidden) tried = { ...tried, preview: noSample().preview }
  const shown = dryRun && joined && !isHidden ? await showable(joined.job, io) : []
  show(shown)
  // The next step removes the manifest of an older dataset in --out: an interrupt must stop the run before it.
  if (io.interrupted.aborted) error = interruptedError()
  if (error || !joined) return { result: stoppedAt(tried, error!), tried, shown, prepared }
  const result =
    spread === undefined
      ? await transformAll({ pool, prepared, joined }, values, io)
      : sampleAlone(tried, joined.job, standsBy(values))
  return { result, tried, shown, prepared }
}

/** The records that a dry run shows; none once it is interrupted. */
async function showable(job: Job, { interrupted }: Io): Promise<StudioRecord[]> {
  // Loaded here: no other transform traces records.
  const { differingRecords } = await import('../../studio/differing-records.ts')
  const people = job.forgotten && new Forgotten(job.forgotten)
  return differingRecords(job, { records: SHOWN, people, stop: interrupted }).catch((error) => {
    if (interrupted.aborted) return []
    throw error
  })
}

/** What is tried, and on which threads. */
interface SampleTask {
  readonly pool: Pool
  readonly prepared: Prepared
  readonly sides: SideTables
  readonly order: SampleOrder
}

/**
 * Builds the side tables and tries records: whether these are records of the preset, and any at all. Without an `error` there
 * is a job, with its side tables.
 */
async function trySample(
  { pool, prepared, sides, order }: SampleTask,
  values: Pick<TransformValues, 'in' | 'maxRejectRatio'>,
  io: Io,
) {
  let tried = noSample()
  let joined: JoinedJob | undefined
  try {
    joined = await sides.join(pool)
    tried = await sample(joined.job, pool, order, io.interrupted)
    // A window of a vendor's history may have had no visitor.
    const mayHoldNothing = joined.job.after.length > 0 || (await areExports(values.in))
    const isEmpty = tried.read === 0 && tried.whole && !mayHoldNothing
    const error = isEmpty
      ? emptyInput(values.in.join(' '))
      : await unusable(tried, prepared.job, values.maxRejectRatio)
    return { tried, joined, error }
  } catch (error) {
    if (error instanceof PosthaulError) return { tried, joined, error }
    throw error
  }
}

async function transformAll(
  { pool, prepared, joined }: Pick<SampleTask, 'pool' | 'prepared'> & { readonly joined: JoinedJob },
  values: TransformValues,
  io: Io,
): Promise<Transformed> {
  const { job } = joined
  const source = { ...prepared.source, ...joined.source }
  const note = (text: string) => io.telemetry.note('transform', text, 'warn')
  if (!values.dryRun) {
    const begunBefore = await isBegun(job.out, workHome(io.env, values.workDir))
    if (begunBefore || (await isFinished(await openStore(job.out)))) {
      // Loaded here: what reads states of imports is as large as all the rest.
      const { assertNotImported } = await import('./assert-not-imported.ts')
      await assertNotImported(
        { ...values, out: job.out, rules: source.rules_sha256 },
        guardOf(values, io),
        io,
      )
    }
  }
  // A dry run writes nothing, so it needs no lease.
  const begun: BegunJob = values.dryRun
    ? { job, look: async () => {}, release: async () => {} }
    : await begin(
        { job, source },
        { signal: io.interrupted, note, workHome: workHome(io.env, values.workDir) },
        guardOf(values, io),
      )
  const progress = progressFor(io.telemetry)
  const options = {
    interrupted: io.interrupted,
    look: () => begun.look(),
    tool: `posthaul ${VERSION}`,
    source,
    isPart: isWindow(job, values, io),
    stands: standsBy(values),
  }
  try {
    return await transformInputs(begun.job, pool, options, {
      stage: (name, bytes) => progress.start(name, bytes),
      progress: (bytes) => progress.add(bytes),
    })
  } finally {
    progress.stop()
    await begun.release()
  }
}

/** Throws what stands against a transform that is about to begin. */
function guardOf({ dryRun, accept }: TransformValues, io: Io): GuardedRun['look'] {
  const note = (text: string) => io.telemetry.note('transform', text, 'warn')
  // A dry run writes nothing, and is for finding out what is wrong: it goes on where tests fail.
  const accepted = dryRun ? [...accept, FAILING_TESTS] : accept
  const guards = guardedRun(accepted, note, 'nothing was written')
  return (facts) => guards.look(facts)
}

/** What stands against a dataset that is made by now. */
function standsBy({ accept }: TransformValues): NonNullable<TransformRunOptions['stands']> {
  return (facts) => standing(guardFindings(facts, accept), 'no dataset was finished')
}

/** The summary for a person: what became of every record, warnings, and the next command. */
export function lines(result: TransformResult, { columns = COLUMNS }: Screen = {}): string[] {
  if (result.dry_run) return dryRunLines(result, columns)
  const { counts, error } = result
  const lines = [
    `transform: ${error ? 'stopped' : 'done'} after ${result.seconds.toFixed(1)} s`,
    ...countedLines(result),
  ]
  if (counts.generated > 0) {
    lines.push(
      `  besides   ${plural(counts.generated, 'identity link or group change', 'identity links and group changes')}: ${number(counts.written + counts.generated)} events in total`,
    )
  }
  if (result.trial) lines.push(...trialLines(result))
  const all = error ? '--json has all of them' : 'all of them are in manifest.json'
  return [...lines, ...leftOutLines(withoutJoined(result), all), ...noticeLines(result), ...nextLines(result)]
}

/** How a dataset that is there is gone on with. */
function nextLines({ out, next_command: next, mend_command: mend }: TransformResult): string[] {
  const mending =
    mend === null
      ? []
      : [`  rejects are in ${visible(within(out ?? '', 'rejects.ndjson'))}`, `  mend a copy, then: ${mend}`]
  return [...mending, ...(next === null ? [] : [`  next: ${next}`])]
}

function trialLines({ trial, counts }: TransformResult): string[] {
  const text = `a trial of ${plural(trial!.people, 'person', 'people')}: ${number(counts.written + counts.generated)} of ${plural(trial!.whole_events, 'event')}. Import it into a new project`
  return labelled('trial', text)
}

function within(store: string, name: string): string {
  if (isS3(store)) return s3Address(parseS3(store), name)
  return store.endsWith('/') ? `${store}${name}` : `${store}/${name}`
}
