import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { PosthaulError } from '../../errors.ts'
import {
  addressIn,
  CHECKPOINT_SUFFIX,
  checkpointsIn,
  openState,
  placeIn,
  type StatePlace,
  stateHome,
  statePlace,
} from '../../imports/state-place.ts'
import { statOf } from '../../inputs/locate.ts'
import type { Io } from '../../io.ts'
import { row, type Values } from '../../options/row.ts'
import { DATASET, ENDPOINT, FILE } from '../../options/rows/dataset-rows.ts'
import * as imports from '../../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { isS3, withEndpoint } from '../../store/s3-location.ts'
import { posthaulLine } from '../../text/shell-word.ts'

const WATCH = row({
  flag: '--watch',
  help: 'look again every 2 s, until all is done; off a terminal print a line every 30 s',
})

export const STATUS_ROWS = [
  { ...FILE, help: 'the files that are imported' },
  { ...DATASET, help: 'the dataset that is imported' },
  { ...imports.CHECKPOINT_ROW, help: 'the checkpoint that the import was given' },
  { ...imports.STATE, help: 'the --state that the import was given; alone: every import there' },
  imports.PRINT_REJECTS,
  WATCH,
  { ...JSON_SUMMARY, help: 'print one JSON object per checkpoint' },
  ENDPOINT,
] as const

export type StatusValues = Values<typeof STATUS_ROWS>

export async function placesFrom(
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

export async function notStarted(path: string, values: StatusValues): Promise<never> {
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
    return `${posthaulLine(['import', name, ...inputs, ...where])} starts it; if it has a --checkpoint of its own, name that`
  }
  return undefined
}

/** Refuses what does not go together. `imports`: how many are looked at. Code `usage`. */
export function assertTogether({ rejects, watch }: StatusValues, imports: number): void {
  if (rejects && imports > 1) {
    throw new PosthaulError('--rejects prints those of one import', {
      code: 'usage',
      hint: 'name its input with --file or --dataset, or its checkpoint',
    })
  }
  if (rejects && watch) throw new PosthaulError('--rejects and --watch do not go together', { code: 'usage' })
}
