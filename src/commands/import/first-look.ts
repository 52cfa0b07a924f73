import type { EventFiles } from '../../checks/read-events.ts'
import type { InputSource } from '../../delivery/intake.ts'
import type { OwnWork } from '../../delivery/own-events.ts'
import type { GuardedRun } from '../../guards/guards.ts'
import { untilAborted } from '../../http/clock.ts'
import { type Losses, lookAtFiles } from '../../imports/losses.ts'
import type { Advance } from '../../telemetry/eta.ts'
import { type GroupGuard, stopped } from './import-groups.ts'

interface FirstLookOptions {
  readonly source: Pick<InputSource, 'totalBytes'>
  /** Opens files once more. Undefined for what is no file that somebody made. */
  readonly open: EventFiles['open'] | undefined
  readonly guards: GuardedRun
  /** Of the project; undefined where it can't be asked. */
  readonly losses: Losses | undefined
  /** Undefined where the project can't be asked. */
  readonly groups: GroupGuard | undefined
}

/** Looks at what is to be sent before the first event is: at all lines of files, and at the groups of anything. */
export function firstLook({ source, open, guards, losses, groups }: FirstLookOptions) {
  let reading: Advance | undefined
  const look = (open: EventFiles['open'], halt: AbortSignal) => {
    const { totalBytes } = source
    let doneBytes = 0
    const progress = (bytes: number) => {
      doneBytes += bytes
      reading = { doneBytes, totalBytes }
    }
    return lookAtFiles({ open, interrupted: halt, progress }, losses).finally(() => {
      reading = undefined
    })
  }
  /** Throws `found` for an error that is not accepted. */
  const work: OwnWork = async (own, halt) => {
    const seen = open && (await untilAborted(stopped(look(open, halt), halt), halt))
    if (halt.aborted) return
    if (seen) guards.look(seen.facts)
    await groups?.work(own, halt, seen?.groups)
  }
  /** How much of the input is read, while it is. */
  return { work, reading: () => reading ?? groups?.reading }
}
