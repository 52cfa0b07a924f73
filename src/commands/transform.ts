import type { Command } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { PRESET_NAMES, PRESETS } from '../mapping/presets/index.ts'
import { renderError } from '../report/error.ts'
import { renderPairs, renderRefused } from '../report/pairs.ts'
import { progressFor } from '../report/progress.ts'
import { transformJson, transformSummary } from '../report/transform-summary.ts'
import { interruptedError, Pool } from '../transform/pool.ts'
import { begin, type Prepared, prepare } from '../transform/prepare.ts'
import type { TransformResult } from '../transform/result.ts'
import { unusable } from '../transform/sample.ts'
import { noSample, sample, stoppedAt, transform } from '../transform/transform.ts'
import { VERSION } from '../version.ts'
import type { CommandModule } from './command.ts'
import { addEndpointFlag, placed } from './endpoint-flag.ts'
import { atLeast, ratio, timeZone } from './option-values.ts'

const PAIRS = 10

interface Flags {
  readonly preset?: string
  readonly in: string[]
  readonly out?: string
  readonly endpoint?: string
  readonly map?: string
  readonly gzip?: boolean
  readonly dryRun?: boolean
  readonly maxRejectRatio: number
  readonly sourceTimezone?: string
  readonly personProperties?: 'set' | 'set_once' | 'drop'
  readonly bigIntegers?: 'keep' | 'string'
  readonly groupEventName: string
  readonly with?: string[]
  readonly workers?: number
  readonly json?: boolean
}

export const configure: CommandModule['configure'] = (command, io, exit) => {
  declare(command).action(async (flags: Flags) => exit(await run(flags, io)))
}

function declare(command: Command): Command {
  return addEndpointFlag(command)
    .option('--preset <name>', `mapping of the source: ${PRESET_NAMES.join(', ')}`)
    .requiredOption(
      '--in <path...>',
      'files, folders, globs, s3://…: NDJSON, JSON, CSV, TSV, Parquet; plain, .gz, .br, zip',
    )
    .option('--out <store>', 'folder or s3://bucket/prefix of the events')
    .option('--map <file>', 'mapping file (YAML or JSON) that adds to the preset')
    .option('--source-timezone <zone>', 'zone of times without an offset, e.g. America/New_York', timeZone)
    .option('--person-properties <choice>', 'what becomes of person properties: set, set_once, drop')
    .option('--big-integers <choice>', 'integers over 2^53, which the service rounds: keep, string')
    .option('--group-event-name <name>', 'name that group events are sent under', '$groupidentify')
    .option('--with <switch...>', "a preset's switch, e.g. keep-session-events")
    .option('--max-reject-ratio <n>', 'stop when more of the first 10,000 records are rejected', ratio, 0.1)
    .option('--gzip', 'write .ndjson.gz parts')
    .option('--workers <n>', 'threads (default: one a core)', atLeast(1))
    .option(
      '--dry-run',
      'show ten records with their events, a record of every kind that is rejected, and the counts; write nothing',
    )
    .option('--json', 'print the summary as one JSON object on stdout')
    .addHelpText('after', HELP)
}

const HELP = `
Presets:
${PRESETS.map(({ name, title, reads }) => `  ${name.padEnd(12)} ${title}: ${reads}`).join('\n')}

Examples:
  posthaul transform --preset mixpanel --in raw/ --out events/
  posthaul transform --preset amplitude --in '*.json.gz' --out events/ --dry-run
  posthaul transform --map mapping.yaml --in warehouse.csv --out events/

The dataset in --out holds a file a UTC day, rejects.ndjson and manifest.json.
Killed or interrupted, the same command goes on where it was.`

async function run(flags: Flags, io: Io): Promise<ExitCode> {
  const started = Date.now()
  const dryRun = flags.dryRun ?? false
  const prepared = await prepare({
    ...flags,
    in: flags.in.map((place) => placed(place, flags)),
    ...(flags.out !== undefined && { out: placed(flags.out, flags) }),
    with: flags.with ?? [],
    dryRun,
    gzip: flags.gzip ?? false,
  })
  const { job, cores } = prepared
  const pool = new Pool(Math.max(1, Math.min(flags.workers ?? cores, job.units.length)))
  try {
    return await runOn(pool, prepared, flags, io, started)
  } finally {
    await pool.close()
  }
}

/** Samples, transforms and says what became of it. */
async function runOn(
  pool: Pool,
  prepared: Prepared,
  flags: Flags,
  io: Io,
  started: number,
): Promise<ExitCode> {
  const dryRun = flags.dryRun ?? false
  let tried = noSample()
  let error: PosthaulError | undefined
  try {
    tried = await sample(prepared.job, pool, dryRun ? PAIRS : 0, io.interrupted)
    error = unusable(tried, prepared.job, flags.maxRejectRatio)
  } catch (caught) {
    if (!(caught instanceof PosthaulError)) throw caught
    error = caught
  }
  if (dryRun && !flags.json) {
    io.stderr.write(renderPairs(tried.pairs))
    io.stderr.write(renderRefused(tried.reasons))
  }
  // From here on an older dataset in the place is no longer whole: whoever has thought better of it keeps it.
  if (io.interrupted.aborted) error = interruptedError()
  const result = error ? stoppedAt(tried, error) : await transformAll(pool, prepared, flags, io)
  const summary = {
    result,
    out: flags.out ?? '',
    argv: io.argv,
    seconds: (Date.now() - started) / 1000,
    dryRun,
    foreignClock: tried.foreignClock,
    idleRules: tried.idleRules,
  }
  if (flags.json) io.stdout.write(`${JSON.stringify(transformJson(summary))}\n`)
  io.stderr.write(transformSummary(summary))
  if (result.error) return renderError(result.error, io)
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}

async function transformAll(
  pool: Pool,
  { job, source }: Prepared,
  flags: Flags,
  io: Io,
): Promise<TransformResult> {
  const begun = flags.dryRun ? { job, release: async () => {} } : await begin({ job, source })
  const progress = progressFor(io.stderr)
  const options = {
    interrupted: io.interrupted,
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
