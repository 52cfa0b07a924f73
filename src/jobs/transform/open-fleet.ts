import { PosthaulError } from '../../errors.ts'
import { continueCommand } from '../../text/index.ts'
import { FINISHED, FLEET, fleetStore, isBegun, PLAN } from '../../transform/index.ts'

/** Refuses a transform of one machine to a place where a fleet is at work: both would write the same parts. */
export async function assertNoFleet(out: string): Promise<void> {
  const store = await fleetStore(out)
  if ((await store.stamp(PLAN)) === undefined || (await store.stamp(FINISHED)) !== undefined) return
  throw new PosthaulError(`${out} has the plan of a fleet that is not finished`, {
    code: 'usage',
    hint: `see where it is with ${continueCommand(['fleet', 'status', '--out', out])}; choose another place for --out, or remove ${FLEET} there to give the fleet up`,
  })
}

/** Refuses a plan for a place where a transform of one machine was begun and has not come to its end. */
export async function assertNoTransform(out: string, workHome: string): Promise<void> {
  if (!(await isBegun(out, workHome))) return
  throw new PosthaulError(`a transform to ${out} was begun on this machine, and is not at its end`, {
    code: 'usage',
    hint: 'let the same posthaul transform go on to its end, or choose another place for --out',
  })
}
