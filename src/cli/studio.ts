import { DRAIN_MS } from '../drain.ts'
import { EXIT, PosthaulError } from '../errors.ts'
import { emptyInput } from '../inputs/empty-input.ts'
import type { Io } from '../io.ts'
import { renderError } from '../jobs/render-error.ts'
import { joinAt } from '../jobs/transform/side-tables.ts'
import { isPresetFile } from '../mapping/preset-file.ts'
import { useOptions } from '../options/options.ts'
import { readSecret } from '../options/read-secret.ts'
import { required, type Values } from '../options/row.ts'
import { ENDPOINT, IN } from '../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { STUDIO_PORT, STUDIO_SAMPLE } from '../options/rows/studio-rows.ts'
import * as rows from '../options/rows/transform-rows.ts'
import { PRESET_NAMES } from '../presets/index.ts'
import { withEndpoint } from '../store/s3-location.ts'
import type { StudioState } from '../studio/studio-data.ts'
import type { Workbench } from '../studio/workbench.ts'
import { jsonLine } from '../text/json.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import { HASH_KEY } from '../transform/hash-key.ts'
import { interruptedError } from '../transform/pool.ts'
import type { TransformRequest } from '../transform/prepare.ts'
import type { CommandModule } from './command.ts'

const STUDIO_ROWS = [
  { ...rows.PRESET, choices: PRESET_NAMES, orFile: isPresetFile },
  required(IN),
  rows.SOURCE_TIMEZONE,
  rows.GROUP_TYPE,
  rows.WHERE,
  rows.WITH,
  rows.JOIN,
  STUDIO_SAMPLE,
  STUDIO_PORT,
  { ...JSON_SUMMARY, help: 'print the address as a JSON object' },
  ENDPOINT,
] as const

type StudioValues = Values<typeof STUDIO_ROWS>

const USUAL_PATH = 'mapping.yaml'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[mapping]', `the mapping file (default: ${USUAL_PATH}), made on the first save`)
  useOptions(command, STUDIO_ROWS, io.env, async ({ values }, named) => {
    if (named.length > 1) {
      throw new PosthaulError('two mapping files were named: the studio takes one', {
        code: 'usage',
        hint: 'name records with --in',
      })
    }
    await serve(named[0] ?? USUAL_PATH, values, io)
    exit(EXIT.done)
  })
}

async function serve(path: string, values: StudioValues, io: Io): Promise<void> {
  io.drain.allow(DRAIN_MS)
  const bench = await openBench(path, values, io)
  try {
    const state = await firstState(bench, values, io)
    // Loaded only now, so that --help stays fast.
    const { openStudio } = await import('../studio/server/open-studio.ts')
    const studio = await openStudio(bench, values.port, (error) => void renderError(error, io, ['studio']))
    // The address goes to standard output alone: it has the token, and logs have no secrets.
    io.stdout.write(values.json ? jsonLine(announcement(studio.url, state)) : `${studio.url}\n`)
    io.stderr.write(greeting(state))
    await interruption(io.interrupted)
    await studio.close()
  } finally {
    await bench.close()
  }
}

async function openBench(path: string, values: StudioValues, io: Io): Promise<Workbench> {
  const [{ listInputs }, { Workbench }, { startMapping }] = await Promise.all([
    import('../inputs/list.ts'),
    import('../studio/workbench.ts'),
    import('../studio/start-mapping.ts'),
  ])
  const { preset, endpoint, sample: records } = values
  const said = values.in.map((place) => withEndpoint(place, endpoint))
  const inputs = await listInputs(said)
  return new Workbench({
    request: requestOf(values, said, io),
    said: values.in,
    inputs,
    path,
    start: () => startMapping(inputs, { asked: values.in, preset, stop: io.interrupted }),
    winning: winningOptions(values),
    records,
    stop: io.interrupted,
  })
}

function requestOf(values: StudioValues, said: readonly string[], io: Io): TransformRequest {
  return {
    ...values,
    in: said,
    join: values.join.map((text) => joinAt(text, values.endpoint)),
    gzip: false,
    dryRun: true,
    groupEventName: rows.GROUP_EVENT_NAME.default,
    hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
  }
}

/** What the mapping file can't change, as it was typed. */
function winningOptions({ preset, sourceTimezone, groupType, where }: StudioValues): string[] {
  return [
    ...(preset === undefined ? [] : [`--preset ${preset}`]),
    ...(sourceTimezone === undefined ? [] : [`--source-timezone ${sourceTimezone}`]),
    ...(groupType === undefined ? [] : [`--group-type ${groupType}`]),
    ...where.map(({ path, value }) => `--where ${path}=${value}`),
  ]
}

/** Reads the sample. Code `input` for an input without a record. */
async function firstState(bench: Workbench, values: StudioValues, io: Io): Promise<StudioState> {
  try {
    const state = await bench.state()
    if (state.input.records === 0) throw emptyInput(values.in.join(' '))
    return state
  } catch (error) {
    if (io.interrupted.aborted) throw interruptedError()
    throw error
  }
}

function announcement(url: string, { input, mapping }: StudioState) {
  return {
    version: 1,
    command: 'studio',
    url,
    mapping: { path: mapping.path, exists: mapping.exists },
    records: input.records,
    whole: input.whole,
    pid: process.pid,
  }
}

function greeting({ input, mapping, fault }: StudioState): string {
  const { records, whole, files, estimatedRecords } = input
  const of = whole
    ? 'all there are'
    : `a sample${estimatedRecords === null ? '' : ` of about ${number(estimatedRecords)}`}`
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${of}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault ? [`  it has a fault: ${visible(fault.message)}`] : []),
    'open the address above in a browser of this machine; stop with Ctrl-C',
    '',
  ].join('\n')
}

function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
