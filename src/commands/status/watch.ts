import { PosthaulError } from '../../errors.ts'
import { type Clock, systemClock } from '../../http/clock.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import type { StatusResult } from './result.ts'
import { statusLine, statusLines } from './text.ts'

const LOOK_EVERY_MS = 2 * MS_PER_SECOND
const LINE_EVERY_MS = 30 * MS_PER_SECOND
/** A look at a bucket is some requests, which cost money; what it shows changes once a minute. */
const REMOTE_EVERY_MS = 30 * MS_PER_SECOND

/** To the top left corner, and clear what is below. */
const REDRAW = '\x1b[H\x1b[J'
/** The screen as it was is kept above. */
const BEGIN = '\x1b[2J'

export interface WatchOptions {
  readonly look: () => Promise<readonly StatusResult[]>
  /** The state is in a bucket. */
  readonly isRemote: boolean
  readonly json: boolean
}

/**
 * Shows imports until all are done, or nobody reads it: on a terminal as a screen that is drawn again, elsewhere as a line
 * (with `json` an object) for each import every 30 s. A look that fails in passing, as in an outage of the bucket, is told
 * and tried again.
 */
export async function watch(
  { look, isRemote, json }: WatchOptions,
  world: Pick<Io, 'stdout' | 'telemetry' | 'interrupted' | 'unread' | 'env'>,
  clock: Clock = systemClock,
): Promise<void> {
  const { stdout, interrupted, unread, env } = world
  const isScreen = stdout.isTTY === true && !json
  const ended = AbortSignal.any([interrupted, unread])
  let shownAt = Number.NEGATIVE_INFINITY
  let begin = BEGIN
  while (!ended.aborted) {
    const seen = await look().catch((error: unknown) => passing(error, shownAt, world))
    if (ended.aborted) break
    const isDone = seen?.every(({ sent }) => sent) === true
    const isTime = isScreen || isDone || clock.now() - shownAt >= LINE_EVERY_MS
    if (seen && isTime) {
      shownAt = clock.now()
      if (isScreen) stdout.write(`${begin}${paintedFor(screenOf(seen, clock), stdout, env)}`)
      else
        for (const one of seen) stdout.write(json ? jsonLine(one) : `${timeOf(clock)} ${statusLine(one)}\n`)
      begin = ''
    }
    if (isDone) return
    await clock.sleep(isRemote ? REMOTE_EVERY_MS : LOOK_EVERY_MS, ended)
  }
}

/** The first look has to succeed: what is wrong then is a mistake. */
function passing(error: unknown, shownAt: number, { telemetry }: Pick<Io, 'telemetry'>): undefined {
  const isPassing = error instanceof PosthaulError && shownAt !== Number.NEGATIVE_INFINITY
  if (!isPassing) throw error
  telemetry.note('status', `${error.message}; looking again`, 'warn')
}

function screenOf(seen: readonly StatusResult[], clock: Clock): string {
  const foot = `${timeOf(clock)}  Ctrl-C ends this view, and no import\n`
  return `${REDRAW}${seen.map((one) => `${statusLines(one).join('\n')}\n`).join('\n')}\n${foot}`
}

function timeOf(clock: Clock): string {
  return new Date(clock.wall()).toISOString().replace(/\.\d+Z$/, 'Z')
}
