import { once } from 'node:events'
import { PosthaulError } from '../../errors.ts'
import { openState, type StatePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { plainJson } from '../../text/visible.ts'
import type { StatusCall } from './index.ts'
import { lookAt, tellDamaged } from './look.ts'
import { notStarted, placesFrom } from './places.ts'
import type { StatusResult } from './result.ts'

export { statusResult as schema } from './result.ts'
export { statusLines as lines } from './text.ts'

/** Yields where each import stands. */
export async function* run(call: StatusCall, world: Io): AsyncGenerator<StatusResult, void> {
  const { values } = call
  const places = await placesFrom(call, world.env)
  if (values.rejects) return printRejects(places, values, world)
  yield* await Promise.all(
    places.map(async (place) => (await lookAt(place, world)) ?? notStarted(place, values)),
  )
}

/** Prints the rejects of one import: as they are into a file, so that they go back as they were; in escapes on a terminal. */
async function printRejects(
  [place, other]: readonly StatePlace[],
  values: StatusCall['values'],
  world: Io,
): Promise<void> {
  if (place === undefined || other !== undefined) {
    throw new PosthaulError('--rejects prints those of one import', {
      code: 'usage',
      hint: 'name its input with --file or --dataset, or its checkpoint',
    })
  }
  const { stdout, unread } = world
  const files = await openState(place)
  const { state, fellBack } = (await files.load()) ?? notStarted(place, values)
  if (fellBack) tellDamaged(files.checkpointPath, world)
  const decoder = new TextDecoder()
  for await (const chunk of files.rejects.read(state.rejects)) {
    if (unread.aborted) return
    const shown = stdout.isTTY ? plainJson(decoder.decode(chunk, { stream: true })) : chunk
    if (!stdout.write(shown)) await once(stdout, 'drain')
  }
}
