import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { PRESET_NAMES, PRESETS } from '../../presets/index.ts'
import { COLUMNS } from '../../text/fold.ts'
import { jsonLine } from '../../text/json.ts'
import type { CommandModule } from '../module.ts'
import { renderError } from '../render-error.ts'
import { useReported } from '../reported.ts'
import { withLittleGarbage } from './little-garbage.ts'
import { TRANSFORM_ROWS, type TransformValues } from './order.ts'
import { answerOf, runTransform } from './run.ts'
import { transformText } from './text.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', HELP)
  useReported(command, TRANSFORM_ROWS, { io, exit }, ({ values }) => withLittleGarbage(() => run(values, io)))
}

const NAME_WIDTH = Math.max(...PRESET_NAMES.map((name) => name.length)) + 1

const HELP = `
Presets:
${PRESETS.map(({ name, title, reads }) => `  ${name.padEnd(NAME_WIDTH)} ${title}: ${reads}`).join('\n')}

Examples:
  posthaul transform --preset mixpanel --in raw/ --out events/
  posthaul transform --preset amplitude --in '*.json.gz' --out events/ --dry-run
  posthaul transform --map mapping.yaml --in warehouse.csv --out events/

The dataset in --out has one file per UTC day, rejects.ndjson, manifest.json,
arrival.ndjson, by which verify proves that all of it arrived, and links.ndjson,
which tells later windows (--after) what is known of ids and groups.
If it is killed or interrupted, the same command continues where it was.`

async function run(values: TransformValues, io: Io): Promise<ExitCode> {
  const started = Date.now()
  const { dryRun, json } = values
  // Loaded here: it draws what no other transform traces.
  const draw = dryRun ? await import('./dry-run.ts') : undefined
  const columns = io.stderr.columns ?? COLUMNS
  const ended = await runTransform(values, io, (shown) => {
    if (draw && !json) io.stderr.write(draw.shownText(shown, columns))
  })
  const { result, said } = answerOf(ended, values, { ...io, seconds: (Date.now() - started) / 1000 })
  if (json) io.stdout.write(jsonLine(result))
  const text = draw ? draw.dryRunText(result, said, columns) : transformText(result, said)
  io.telemetry.summary('transform', { json: result, text })
  if (ended.result.error) return renderError(ended.result.error, io)
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
