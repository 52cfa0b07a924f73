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
import { isS3 } from '../../store/s3-location.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import type { StatusCall } from './index.ts'

type Values = StatusCall['values']

/** The imports that are named; else all that have a checkpoint here, or at --state. Code `input` if there is none. */
export async function placesFrom({ args, values }: StatusCall, env: Io['env']): Promise<StatePlace[]> {
  const { file, dataset, checkpoint, state } = values
  const ledger = stateHome(env)
  const named = (await Promise.all(args.map((path) => placesOf(path, values, env)))).flat()
  // Several files have the checkpoint of the first.
  const inputs = [file[0], dataset].filter((input) => input !== undefined)
  named.push(...inputs.map((input) => statePlace({ ...values, input }, env)))
  if (inputs.length === 0 && checkpoint !== undefined)
    named.push(placeIn(dirname(checkpoint), basename(checkpoint), ledger))
  if (named.length > 0) return named
  const all = await allIn(state ?? '.', state === undefined ? ledger : undefined)
  if (all.length > 0) return all
  throw new PosthaulError(
    `no checkpoint ${state === undefined ? 'here' : `in ${state}`}: no import has started`,
    {
      code: 'input',
      hint: 'name the input with --file or --dataset, or the checkpoint itself',
    },
  )
}

/** What a path that no option precedes means: a checkpoint, an input as --dataset or --file take it, or a folder of checkpoints. */
async function placesOf(path: string, values: Values, env: Io['env']): Promise<StatePlace[]> {
  const ledger = stateHome(env)
  const itself = placeIn(dirname(path), basename(path), ledger)
  if (path.endsWith(CHECKPOINT_SUFFIX)) return [itself]
  const ofInput = statePlace({ ...values, input: path }, env)
  if (await (await openState(ofInput)).load()) return [ofInput]
  if (/\.ya?ml$/.test(path)) {
    throw new PosthaulError(`${path} is not what an import sends`, {
      code: 'usage',
      hint: 'of a migration file, status --state <its store>/state shows all imports',
    })
  }
  if (!isS3(path) && (await statOf(path)) !== 'folder') return [itself]
  const all = await allIn(path, ledger)
  return all.length > 0 ? all : notStarted(ofInput, { ...values, dataset: path })
}

/** Every import whose state is at a location. With --state the ledger is there too. */
async function allIn(location: string, ledger = location): Promise<StatePlace[]> {
  return (await checkpointsIn(location)).map((name) => placeIn(location, name, ledger))
}

/** Throws, with code `input`, and tells how the import begins if its input is there. */
export function notStarted(place: StatePlace, { file, dataset, state }: Values): never {
  const [flag, inputs] = dataset === undefined ? ['--file', file] : ['--dataset', [dataset]]
  const where = state === undefined ? [] : ['--state', state]
  const isThere = inputs[0] !== undefined && (isS3(inputs[0]) || existsSync(inputs[0]))
  throw new PosthaulError(
    `there is no checkpoint at ${addressIn(place, place.checkpoint)}: that import has not started`,
    {
      code: 'input',
      hint: isThere
        ? `${posthaulLine(['import', flag, ...inputs, ...where])} starts it; if it has a --checkpoint of its own, name that`
        : 'check the path for a typing error',
    },
  )
}
