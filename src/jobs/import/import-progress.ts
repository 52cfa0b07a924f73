import { type ImportRun, ratePerSecond } from '../../delivery/index.ts'
import type { Io } from '../../io.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { type Progress, startProgress } from '../../telemetry/progress.ts'
import type { PaceOrder } from './order.ts'

/** Shows how far an import has come. `reading`: how far the input is read by those who look at it first; undefined where nobody does. */
export function importProgress(
  run: ImportRun,
  { caps, lanes }: PaceOrder,
  reading: () => Advance | undefined,
  io: Io,
): Progress {
  const { perMinute } = caps
  return startProgress({
    telemetry: io.telemetry,
    label: 'import',
    limits: { eventsPerMinute: perMinute, events: caps.events, lanes },
    perSecond: ratePerSecond({ perMinute, lanes }),
    look: () => {
      const { delivered: events, rejected, pending, unconfirmed, ...bytes } = run.progress
      const counts = {
        written: events,
        rejected,
        ...(pending !== undefined && { pending }),
        ...(unconfirmed !== undefined && { unconfirmed }),
      }
      return { ...(reading() ?? { ...bytes, events }), counts }
    },
  })
}
