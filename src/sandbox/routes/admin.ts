import type { Hono } from 'hono'
import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { DELETION_STEPS } from '../deletion-requests.ts'
import { FaultDice } from '../faults/dice.ts'
import { access } from './access.ts'
import { invalid } from './api-error.ts'

const Orders = z.strictObject({
  /** Faults in the form of `--fault`; they replace those that were set. */
  faults: z.array(z.string()).optional(),
  seed: z.int().nonnegative().optional(),
  /** Moves the clock on by this number of seconds. */
  advance: z.number().nonnegative().optional(),
  /** Moves all requests for deletion on that can take this step. */
  deletions: z.enum(DELETION_STEPS).optional(),
})

/** What the service has not: orders to the sandbox itself. The key that may do everything gives them. */
export function adminRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  app.post('/_sandbox', access(context)('*'), async (c) => {
    const orders = Orders.safeParse(await c.req.json().catch(() => undefined))
    if (!orders.success)
      throw invalid('Give JSON with faults, seed, advance (seconds) or deletions (a step).')
    const { faults, seed, advance, deletions } = orders.data
    try {
      if (faults) context.dice = new FaultDice(faults, seed ?? 1)
    } catch (error) {
      if (error instanceof PosthaulError) throw invalid(error.message, 'faults')
      throw error
    }
    if (advance !== undefined) context.advance(advance * 1000)
    if (deletions !== undefined) await context.deletions.move(deletions)
    return c.json({ now: new Date(context.now()).toISOString() })
  })
}
