import type { ArrivalWatch } from './arrival-watch.ts'
import type { Lanes } from './lanes.ts'
import type { Sent } from './route.ts'
import type { Sender } from './sender.ts'

export interface DispatchOptions {
  readonly lanes: Lanes
  readonly sender: Sender
  readonly watch: Pick<ArrivalWatch, 'cleared'> | undefined
  readonly halt: AbortSignal
  /** Counts what became of a batch, and records it. No await before it is counted: a snapshot must see all or nothing. */
  readonly acknowledge: (sent: Sent) => Promise<void>
  /** Stops the run, because of an error. */
  readonly stop: (error: unknown) => void
}

/**
 * Sends what comes into the lanes, and acknowledges each batch once no refusal in it is in doubt, each lane in its order.
 * Ends when all is acknowledged, or after a halt; what is held then is not acknowledged, and the next run sends it again.
 */
export async function dispatch(options: DispatchOptions): Promise<void> {
  const { lanes, sender, watch, halt, acknowledge, stop } = options
  const settle = async () => {
    const saves: Promise<void>[] = []
    for (let lane = 0; lane < lanes.count; lane++) {
      for (;;) {
        const sent = lanes.release(lane, sender.confirmed)
        if (!sent) break
        saves.push(acknowledge(sent))
      }
    }
    await Promise.all(saves)
  }
  const sendLane = async (lane: number) => {
    for (;;) {
      const batch = await lanes.next(lane)
      await watch?.cleared(halt)
      const sent = batch && (await sender.send(batch, halt))
      if (!sent) return
      lanes.hold(lane, sent)
      await settle()
    }
  }
  const unstall = async () => {
    while (await lanes.stalled()) {
      await sender.check(halt)
      await settle()
    }
  }
  const sending = Array.from({ length: lanes.count }, (_, lane) => sendLane(lane))
  await Promise.all([...sending, unstall()].map((work) => work.catch(stop)))
  // The part of a batch that was taken before a halt confirms refusals before it.
  await settle().catch(stop)
}
