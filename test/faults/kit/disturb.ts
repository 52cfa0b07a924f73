import { join } from 'node:path'
import { type Ended, runCli } from '../../helpers/cli-process.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { testFolder } from '../../helpers/folder.ts'
import { type FaultPlan, type Point, pointsIn, suffering } from './plan.ts'
import type { Begin } from './works.ts'

/** The nth point of its name. */
interface PlacedPoint {
  readonly point: Point
  readonly nth: number
}

const PASSED = new Map<Begin, Promise<PlacedPoint[]>>()

/** Every point that an undisturbed run passes. A work is run for it once, and its result is checked. */
export function pointsOf(begin: Begin): Promise<PlacedPoint[]> {
  const passed = PASSED.get(begin) ?? pointsAt(begin)
  PASSED.set(begin, passed)
  return passed
}

/** Those whose path contains `match`. */
export async function pointsAt(begin: Begin, match?: string): Promise<PlacedPoint[]> {
  const log = join(testFolder(), 'points.log')
  const { argv, env, check } = await begin(testFolder())
  await check(await runCli(argv, { ...env, ...suffering({ log, ...(match !== undefined && { match }) }) }))
  return [...pointsIn(log)].flatMap(([point, count]) =>
    Array.from({ length: count }, (_, n) => ({ point, nth: n + 1 })),
  )
}

/**
 * Runs new work by a plan, then once more, undisturbed, with the same command line, and checks what is there in the end.
 * Resolves to how the disturbed run ended.
 */
export async function disturb(begin: Begin, plan: FaultPlan): Promise<Ended> {
  const { argv, env, check } = await begin(testFolder())
  const disturbed = await runCli(argv, { ...env, ...suffering(plan) })
  const ended = await runHosted(argv, env)
  try {
    await check(ended)
  } catch (cause) {
    const said = `${disturbed.stderr}\n--- and then\n${ended.stderr}`
    throw new Error(`after ${JSON.stringify(plan)}: ${(cause as Error).message}\n${said}`, { cause })
  }
  return disturbed
}
