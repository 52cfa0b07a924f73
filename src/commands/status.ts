import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { EXIT, type ExitCode, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { DATASET, ENDPOINT, FILE } from '../options/rows/dataset-rows.ts'
import * as imports from '../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { continueCommand } from '../report/command-line.ts'
import { folded } from '../report/fold.ts'
import { statusJson, statusLines } from '../report/status.ts'
import { visible } from '../report/visible.ts'
import { openStore } from '../store/open.ts'
import { isS3, withEndpoint } from '../store/s3-location.ts'
import type { CommandModule } from './command.ts'
import { stateLease, surroundings } from './import-turn.ts'
import { checkpointsIn, ledgerHome, openState, placeIn, type StatePlace, statePlace } from './state-place.ts'

const STATUS_ROWS = [
  { ...FILE, help: 'the files that are imported' },
  { ...DATASET, help: 'the dataset that is imported' },
  { ...imports.CHECKPOINT, help: 'the checkpoint that the import was given' },
  { ...imports.STATE, help: 'the --state that the import was given; alone: every import there' },
  imports.PRINT_REJECTS,
  { ...JSON_SUMMARY, help: 'print one JSON object per checkpoint' },
  ENDPOINT,
] as const

type StatusValues = Values<typeof STATUS_ROWS>

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[checkpoint...]', 'checkpoint files (default: every *.checkpoint.json in this folder)')
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
  for (const place of places) {
    const state = await openState(place)
    const { state: saved, fellBack } =
      (await state.load()) ?? (await notStarted(state.checkpointPath, values))
    if (fellBack) {
      const text = `${visible(state.checkpointPath)} is damaged; this is the one saved before it`
      io.stderr.write(folded(text, '  ', 'status: '))
    }
    if (values.rejects) await print(state.readRejects(saved.rejects), io.stdout)
    else {
      const store = await openStore(place.ledger)
      const around = await surroundings(await stateLease(place), store, saved.target)
      const text = values.json
        ? JSON.stringify(statusJson(state.checkpointPath, saved, around))
        : statusLines(state.checkpointPath, saved, around).join('\n')
      io.stdout.write(`${text}\n`)
    }
  }
  return EXIT.done
}

async function placesFrom(
  named: readonly string[],
  values: StatusValues,
  env: Io['env'],
): Promise<StatePlace[]> {
  const ledger = ledgerHome(env)
  const paths = named.map((path) => placeIn(dirname(path), basename(path), ledger))
  // Several files have the checkpoint of the first.
  const inputs = [values.file[0], values.dataset].filter((input) => input !== undefined)
  const places = inputs.map((input) => statePlace({ ...values, input }, env))
  if (inputs.length === 0 && values.checkpoint !== undefined)
    places.push(placeIn(dirname(values.checkpoint), basename(values.checkpoint), ledger))
  if (paths.length + places.length > 0) return [...paths, ...places]
  const location = withEndpoint(values.state ?? '.', values.endpoint)
  const names = await checkpointsIn(location)
  if (names.length > 0) return names.map((name) => placeIn(location, name, ledger))
  const where = values.state === undefined ? 'here' : `in ${values.state}`
  throw new PosthaulError(`no checkpoint ${where}: no import has started in this folder`, {
    code: 'input',
    hint: 'name the input with --file or --dataset, or the checkpoint itself',
  })
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

async function print(chunks: AsyncIterable<Buffer>, out: NodeJS.WriteStream): Promise<void> {
  for await (const chunk of chunks) if (!out.write(chunk)) await once(out, 'drain')
}
