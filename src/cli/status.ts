import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import { statOf } from '../inputs/locate.ts'
import type { Io } from '../io.ts'
import { stateHome } from '../jobs/import/state-home.ts'
import {
  addressIn,
  CHECKPOINT_SUFFIX,
  checkpointsIn,
  openState,
  placeIn,
  type StatePlace,
  statePlace,
} from '../jobs/import/state-place.ts'
import { type Look, StatusLook, shownOf } from '../jobs/status/status-look.ts'
import { useOptions } from '../options/options.ts'
import { row, type Values } from '../options/row.ts'
import { DATASET, ENDPOINT, FILE } from '../options/rows/dataset-rows.ts'
import * as imports from '../options/rows/import-rows.ts'
import { HTML, JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { isS3, withEndpoint } from '../store/s3-location.ts'
import { continueCommand } from '../text/command-line.ts'
import { paintedFor } from '../text/paint.ts'
import { plainJson } from '../text/visible.ts'
import type { CommandModule } from './command.ts'
import { assertHtml, writeHtml } from './html-option.ts'
import { watchStatus } from './status-watch.ts'

const WATCH = row({
  flag: '--watch',
  help: 'look again every 2 s, until all is done; off a terminal print a line every 30 s',
})

const STATUS_ROWS = [
  { ...FILE, help: 'the files that are imported' },
  { ...DATASET, help: 'the dataset that is imported' },
  { ...imports.CHECKPOINT, help: 'the checkpoint that the import was given' },
  { ...imports.STATE, help: 'the --state that the import was given; alone: every import there' },
  imports.PRINT_REJECTS,
  WATCH,
  { ...JSON_SUMMARY, help: 'print one JSON object per checkpoint' },
  HTML,
  ENDPOINT,
] as const

type StatusValues = Values<typeof STATUS_ROWS>

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument(
    '[checkpoint...]',
    'inputs or their checkpoints (default: every *.checkpoint.json in this folder)',
  )
  useOptions(command, STATUS_ROWS, io.env, async ({ values }, named) => exit(await status(named, values, io)))
}

async function status(named: readonly string[], values: StatusValues, io: Io): Promise<ExitCode> {
  const places = await placesFrom(named, values, io.env)
  if (values.rejects && places.length > 1) {
    throw new PosthaulError('--rejects prints those of one import', {
      code: 'usage',
      hint: 'name its input with --file or --dataset, or its checkpoint',
    })
  }
  if (values.rejects) {
    const other = values.watch ? '--watch' : values.html === undefined ? undefined : '--html'
    if (other) throw new PosthaulError(`--rejects and ${other} do not go together`, { code: 'usage' })
    await printRejects(places[0]!, values, io)
    return EXIT.done
  }
  assertAlone(values)
  await assertHtml(values.html)
  const looks = places.map((place) => new StatusLook(place))
  const look = () => Promise.all(looks.map((one) => lookAt(one, values, io)))
  if (values.watch) {
    const isRemote = places.some(({ location, ledger }) => isS3(location) || isS3(ledger))
    return watchStatus({ look, isRemote, json: values.json }, io)
  }
  for (const seen of await look()) {
    const shown = shownOf(seen, values.json)
    io.stdout.write(values.json ? shown : paintedFor(shown, io.stdout, io.env))
  }
  await writeHtml(values.html, ({ importsPage }) => importsPage('status', places), io)
  return EXIT.done
}

/** A page is of one moment. */
function assertAlone({ watch, html }: StatusValues): void {
  if (watch && html !== undefined)
    throw new PosthaulError('--html and --watch do not go together', { code: 'usage' })
}

async function lookAt(one: StatusLook, values: StatusValues, io: Io): Promise<Look> {
  const seen = (await one.look()) ?? (await notStarted(one.path, values))
  if (seen.fellBack) tellDamaged(seen.path, io)
  return seen
}

async function printRejects(place: StatePlace, values: StatusValues, io: Io): Promise<void> {
  const state = await openState(place)
  const { state: saved, fellBack } = (await state.load()) ?? (await notStarted(state.checkpointPath, values))
  if (fellBack) tellDamaged(state.checkpointPath, io)
  await print(state.rejects.read(saved.rejects), io)
}

function tellDamaged(path: string, io: Io): void {
  io.telemetry.note('status', `${path} is damaged; this is the one saved before it`, 'warn')
}

async function placesFrom(
  named: readonly string[],
  values: StatusValues,
  env: Io['env'],
): Promise<StatePlace[]> {
  const ledger = stateHome(env)
  const paths = (await Promise.all(named.map((path) => placesOf(path, values, env)))).flat()
  // Several files have the checkpoint of the first.
  const inputs = [values.file[0], values.dataset].filter((input) => input !== undefined)
  const places = inputs.map((input) => statePlace({ ...values, input }, env))
  if (inputs.length === 0 && values.checkpoint !== undefined)
    places.push(placeIn(dirname(values.checkpoint), basename(values.checkpoint), ledger))
  if (paths.length + places.length > 0) return [...paths, ...places]
  const all = await allIn(
    withEndpoint(values.state ?? '.', values.endpoint),
    values.state === undefined ? ledger : undefined,
  )
  if (all.length > 0) return all
  const where = values.state === undefined ? 'here' : `in ${values.state}`
  throw new PosthaulError(`no checkpoint ${where}: no import has started in this folder`, {
    code: 'input',
    hint: 'name the input with --file or --dataset, or the checkpoint itself',
  })
}

/** What a path that no option precedes means: a checkpoint, an input as --dataset or --file take it, or a folder of checkpoints. */
async function placesOf(path: string, values: StatusValues, env: Io['env']): Promise<StatePlace[]> {
  const ledger = stateHome(env)
  const itself = placeIn(dirname(path), basename(path), ledger)
  if (path.endsWith(CHECKPOINT_SUFFIX)) return [itself]
  const ofInput = statePlace({ ...values, input: path }, env)
  if (await (await openState(ofInput)).load()) return [ofInput]
  if (!isS3(path) && (await statOf(path)) !== 'folder') return [itself]
  const all = await allIn(withEndpoint(path, values.endpoint), ledger)
  return all.length > 0
    ? all
    : notStarted(addressIn(ofInput, ofInput.checkpoint), { ...values, dataset: path })
}

/** Every import whose state is at a location. With --state the ledger is there too. */
async function allIn(location: string, ledger = location): Promise<StatePlace[]> {
  return (await checkpointsIn(location)).map((name) => placeIn(location, name, ledger))
}

async function notStarted(path: string, values: StatusValues): Promise<never> {
  throw new PosthaulError(`there is no checkpoint at ${path}: that import has not started`, {
    code: 'input',
    hint: startHint(values) ?? 'check the path for a typing error',
  })
}

/** How to start the import that has not started, if its input was named and exists. */
function startHint({ file, dataset, state, endpoint }: StatusValues): string | undefined {
  for (const [name, inputs] of [
    ['--file', file],
    ['--dataset', [dataset ?? []].flat()],
  ] as const) {
    const [input] = inputs
    if (input === undefined || !(isS3(input) || existsSync(input))) continue
    const where = [
      ...(state === undefined ? [] : ['--state', state]),
      ...(endpoint === undefined ? [] : ['--endpoint', endpoint]),
    ]
    return `${continueCommand(['import', name, ...inputs, ...where])} starts it; if it has a --checkpoint of its own, name that`
  }
  return undefined
}

/** Prints lines of JSON: as they are into a file, so that they go back as they were; in escapes on a terminal. */
async function print(chunks: AsyncIterable<Buffer>, { stdout, unread }: Io): Promise<void> {
  const decoder = new TextDecoder()
  for await (const chunk of chunks) {
    if (unread.aborted) return
    const shown = stdout.isTTY ? plainJson(decoder.decode(chunk, { stream: true })) : chunk
    if (!stdout.write(shown)) await once(stdout, 'drain')
  }
}
