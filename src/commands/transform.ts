import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import { emptyInput } from '../inputs/empty-input.ts'
import type { Io } from '../io.ts'
import { isQueryable } from '../mapping/import-id.ts'
import { PRESET_NAMES, PRESETS } from '../mapping/presets/index.ts'
import { useOptions } from '../options/options.ts'
import { required, type Values } from '../options/row.ts'
import * as datasets from '../options/rows/dataset-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../options/rows/output-rows.ts'
import * as rows from '../options/rows/transform-rows.ts'
import { renderError } from '../report/error.ts'
import { folded } from '../report/fold.ts'
import { renderPairs, renderRefused } from '../report/pairs.ts'
import { progressFor } from '../report/progress.ts'
import { transformJson, transformSummary } from '../report/transform-summary.ts'
import { visible } from '../report/visible.ts'
import { withEndpoint } from '../store/s3-location.ts'
import type { Job } from '../transform/job.ts'
import { interruptedError, Pool } from '../transform/pool.ts'
import { type BegunJob, begin, type Prepared, prepare } from '../transform/prepare.ts'
import type { TransformResult } from '../transform/result.ts'
import { noSample, sample, stoppedAt, transform } from '../transform/transform.ts'
import { unusable } from '../transform/wrong-input.ts'
import { VERSION } from '../version.ts'
import type { CommandModule } from './command.ts'

const PAIRS = 10

// Without a default: if the option is not given, the mapping file decides.
const { default: _, ...BIG_INTEGERS_MAPPED } = rows.BIG_INTEGERS

const TRANSFORM_ROWS = [
  { ...rows.PRESET, choices: PRESET_NAMES },
  required(datasets.IN),
  { ...datasets.OUT, help: `${datasets.OUT.help}; not needed with --dry-run` },
  rows.MAP,
  rows.TRANSFORM_DRY_RUN,
  rows.SOURCE_TIMEZONE,
  rows.PERSON_PROPERTIES,
  { ...BIG_INTEGERS_MAPPED, otherwise: 'as the mapping file says, else keep' },
  rows.GROUP_EVENT_NAME,
  rows.WITH,
  rows.IMPORT_ID,
  rows.NO_IMPORT_ID,
  rows.RULES_CHANGED,
  rows.MAX_REJECT_RATIO,
  datasets.GZIP,
  rows.WORKERS,
  GROUP_READABLE,
  JSON_SUMMARY,
  datasets.ENDPOINT,
] as const

type TransformValues = Values<typeof TRANSFORM_ROWS>

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', HELP)
  useOptions(command, TRANSFORM_ROWS, io.env, async ({ values }) => exit(await run(values, io)))
}

const HELP = `
Presets:
${PRESETS.map(({ name, title, reads }) => `  ${name.padEnd(12)} ${title}: ${reads}`).join('\n')}

Examples:
  posthaul transform --preset mixpanel --in raw/ --out events/
  posthaul transform --preset amplitude --in '*.json.gz' --out events/ --dry-run
  posthaul transform --map mapping.yaml --in warehouse.csv --out events/

The dataset in --out has one file per UTC day, rejects.ndjson, manifest.json and
arrival.ndjson, by which verify proves that all of it arrived.
If it is killed or interrupted, the same command continues where it was.`

async function run(values: TransformValues, io: Io): Promise<ExitCode> {
  const started = Date.now()
  const { out, endpoint } = values
  if (values.noImportId && values.importId !== undefined) {
    throw new PosthaulError('--import-id and --no-import-id are given together', { code: 'usage' })
  }
  if (values.importId !== undefined && !isQueryable(values.importId)) {
    throw new PosthaulError('--import-id has a quote, a backslash or a control character', {
      code: 'usage',
      hint: 'verify could not find its events: give a plain name, such as migration-2024',
    })
  }
  const prepared = await prepare({
    ...values,
    importId: values.noImportId ? false : values.importId,
    in: values.in.map((place) => withEndpoint(place, endpoint)),
    out: out === undefined ? undefined : withEndpoint(out, endpoint),
  })
  const { job, cores } = prepared
  const pool = new Pool(Math.max(1, Math.min(values.workers ?? cores, job.units.length)))
  try {
    return await runOn(pool, prepared, values, io, started)
  } finally {
    await pool.close()
  }
}

/** Tries a sample, transforms, and prints the summary. */
async function runOn(
  pool: Pool,
  prepared: Prepared,
  values: TransformValues,
  io: Io,
  started: number,
): Promise<ExitCode> {
  const { dryRun } = values
  let tried = noSample()
  let error: PosthaulError | undefined
  try {
    tried = await sample(prepared.job, pool, dryRun ? PAIRS : 0, io.interrupted)
    if (tried.read === 0 && tried.whole) error = emptyInput(values.in.join(' '))
    else error = await unusable(tried, prepared.job, values.maxRejectRatio)
  } catch (caught) {
    if (!(caught instanceof PosthaulError)) throw caught
    error = caught
  }
  if (dryRun && !values.json) {
    io.stderr.write(renderPairs(tried.pairs))
    io.stderr.write(renderRefused(tried.reasons))
  }
  // The next step removes the manifest of an older dataset in --out: an interrupt must stop the run before it.
  if (io.interrupted.aborted) error = interruptedError()
  const result = error ? stoppedAt(tried, error) : await transformAll(pool, prepared, values, io)
  const summary = {
    result,
    out: values.out ?? '',
    argv: io.argv,
    seconds: (Date.now() - started) / 1000,
    dryRun,
    foreignClock: tried.foreignClock,
    idleRules: tried.idleRules,
  }
  if (values.json) io.stdout.write(`${JSON.stringify(transformJson(summary))}\n`)
  io.stderr.write(transformSummary(summary))
  if (result.error) return renderError(result.error, io)
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}

async function transformAll(
  pool: Pool,
  { job, source }: Prepared,
  values: TransformValues,
  io: Io,
): Promise<TransformResult> {
  const note = (text: string) => io.stderr.write(folded(visible(text), '  ', 'transform: '))
  const begun = values.dryRun
    ? unshared(job)
    : await begin({ job, source }, { signal: io.interrupted, note }, values.rulesChanged)
  const progress = progressFor(io.stderr)
  const options = {
    interrupted: io.interrupted,
    look: () => begun.look(),
    tool: `posthaul ${VERSION}`,
    source,
  }
  try {
    return await transform(begun.job, pool, options, {
      stage: (name, bytes) => progress.start(name, bytes),
      progress: (bytes) => progress.add(bytes),
    })
  } finally {
    progress.stop()
    await begun.release()
  }
}

/** A dry run writes nothing, so it needs no lease. */
function unshared(job: Job): BegunJob {
  return { job, look: async () => {}, release: async () => {} }
}
