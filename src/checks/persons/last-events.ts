import { PosthaulError } from '../../errors.ts'
import type { Clock } from '../../http/clock.ts'
import { MS_PER_MINUTE, MS_PER_SECOND } from '../../text/units.ts'
import type { History, LastEvent } from './history.ts'

const LONGEST_PAUSE_MS = MS_PER_MINUTE
/** When no more of the last events came for so long, no more will. */
const QUIET_MS = 5 * MS_PER_MINUTE

export interface LastEventsOptions {
  /** Which of these events the project has. */
  readonly arrived: (events: readonly LastEvent[]) => Promise<ReadonlySet<string>>
  /** How long they may take to arrive. */
  readonly waitMs: number
  readonly clock: Clock
  readonly note: (text: string) => void
}

/**
 * Waits until the project has the last events of a history, or no more of them come: it drops some without a word. If it
 * drops just the last ones, events from all over the history show that the rest is there. Code `paused` if nothing shows
 * that within the wait.
 */
export async function lastEventsArrived(
  { last, spread }: Pick<History, 'last' | 'spread'>,
  { arrived, clock, waitMs, note }: LastEventsOptions,
  halt: AbortSignal,
): Promise<void> {
  const begun = clock.now()
  // The same line twice in a file is one event.
  const expected = new Set(last.map(({ uuid }) => uuid)).size
  let [known, since] = [-1, begun]
  for (let pause = MS_PER_SECOND; !halt.aborted; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const { size } = await arrived(last)
    if (size === expected) break
    const level = size > 0 ? spread.length + size : (await arrived(spread)).size
    if (known >= 0 && level > known) since = clock.now()
    if (known < 0) note(waiting(waitMs))
    known = Math.max(known, level)
    const quietMs = size > 0 ? Math.min(QUIET_MS, waitMs / 4) : waitMs
    if (level > 0 && clock.now() - since >= quietMs) {
      note(dropped(expected, size))
      break
    }
    if (clock.now() - begun >= waitMs) throw late(expected)
    await clock.sleep(Math.min(pause, waitMs / 4), halt)
  }
  // The project shows a person's new properties a little later than the event: as much later, most likely, as that came.
  const lag = clock.now() - begun
  if (lag > MS_PER_SECOND && !halt.aborted) await clock.sleep(Math.min(LONGEST_PAUSE_MS, lag), halt)
}

function waiting(waitMs: number): string {
  const most =
    waitMs < MS_PER_MINUTE
      ? `${Math.ceil(waitMs / MS_PER_SECOND)} s`
      : `${Math.ceil(waitMs / MS_PER_MINUTE)} min`
  return (
    `all events are sent; persons are put right once the project has the last of them, which may take ${most} ` +
    '(--arrival-wait). It can be stopped meanwhile: the same command goes on'
  )
}

function dropped(of: number, there: number): string {
  const which =
    there > 0 ? `${of - there} of the last ${of} events are not` : `none of the last ${of} events is`
  return `${which} in the project, and no more come: see verify`
}

function late(missing: number): PosthaulError {
  return new PosthaulError(
    `all events are sent, and the project has none of the last ${missing} so far; persons are put right after that`,
    {
      code: 'paused',
      hint:
        'run the same command again later; a service that lags more needs a longer --arrival-wait, and with ' +
        '--no-keep-persons the import ends without it',
    },
  )
}
