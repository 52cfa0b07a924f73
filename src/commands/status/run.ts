import type { Io } from '../../io.ts'
import { isS3 } from '../../store/s3-location.ts'
import { lookerAt } from './look.ts'
import type { StatusCall } from './options.ts'
import { notStarted, placesFrom } from './places.ts'
import { printRejects } from './rejects.ts'
import type { StatusResult } from './result.ts'
import { watch } from './watch.ts'

export { statusResult as schema } from './result.ts'
export { statusLines as lines } from './text.ts'

/** Yields where each import stands. */
export async function* run(call: StatusCall, world: Io): AsyncGenerator<StatusResult, void> {
  const { values } = call
  const places = await placesFrom(call, world.env)
  if (values.rejects) return printRejects(places, values, world)
  const lookers = await Promise.all(places.map((place) => lookerAt(place, world)))
  const look = () =>
    Promise.all(lookers.map(async (seen, at) => (await seen()) ?? notStarted(places[at]!, values)))
  if (!values.watch) return yield* await look()
  const isRemote = places.some(({ location, ledger }) => isS3(location) || isS3(ledger))
  return watch({ look, isRemote, json: values.json }, world)
}
