import { isS3, openStore, type Store } from '../../store/index.ts'
import type { Stage } from '../../text/index.ts'

/** Beside the parts, in the dataset's own place. Its name begins with a dot: whoever lists a dataset passes over it. */
export const FLEET = '.posthaul-fleet'

export const PLAN = 'plan.json'
/** Hashes of the ids to forget. */
export const LISTED = 'listed-ids'
/** Written last: what `finish` made of the dataset. */
export const FINISHED = 'finished.json'

/** The store of a fleet's own files, in the place that `--out` names. */
export async function fleetStore(out: string): Promise<Store> {
  return openStore(inside(out, FLEET))
}

/** The files of one task: their names, as the fleet's store has them, and their bytes. */
export async function taskFiles(out: string, stage: Stage, index: number): Promise<Map<string, number>> {
  const name = taskName(stage, index)
  const files = await (await openStore(inside(out, `${FLEET}/${name}`))).list()
  return new Map(files.map((file) => [`${name}/${file.name}`, file.bytes]))
}

function inside(out: string, name: string): string {
  const cut = isS3(out) ? out.indexOf('?') : -1
  const [folder, query] = cut === -1 ? [out, ''] : [out.slice(0, cut), out.slice(cut)]
  return `${folder.replace(/\/+$/, '')}/${name}${query}`
}

/** `map/000012`: what the names of a task's files begin with. */
export function taskName(stage: Stage, index: number): string {
  return `${stage}/${String(index).padStart(6, '0')}`
}

/** The name of a task's result. A task is done when it is there. */
export function doneName(stage: Stage, index: number): string {
  return `${taskName(stage, index)}.done`
}

/** The name of the record of one try of a task; `id` tells the tries of a task apart. */
export function tryName(stage: Stage, index: number, id: string): string {
  return `tries/${taskName(stage, index)}-${id}.json`
}
