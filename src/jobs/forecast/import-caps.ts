import { LEAST_PER_ID, leastPerMinute, OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/index.ts'
import { PosthaulError } from '../../errors.ts'
import {
  flagOf,
  type Options,
  type Resolved,
  importRows as rows,
  type ValueSource,
  type Values,
} from '../../options/index.ts'
import { number } from '../../text/index.ts'

/** The options that say how fast events may go, and how many. */
export const CAP_ROWS = [rows.MAX_EVENTS_PER_MINUTE, rows.MAX_EVENTS, rows.LANES] as const
/** The same, and what else decides how fast they go. */
export const PACE_ROWS = [...CAP_ROWS, rows.BATCH_EVENTS] as const

/** Caps of an import. */
export interface Caps {
  readonly perMinute: number
  readonly events: number
}

/**
 * The caps, of which `share` imports at once take a part each. Throws if they are too low for the lanes, or so high that
 * they need approval.
 */
export function capsOf(
  { values, resolved }: Options<Values<typeof CAP_ROWS>>,
  approved: boolean,
  share = 1,
): Caps {
  const least = leastPerMinute(values.lanes) * share
  const { value, source, from } = resolved.maxEventsPerMinute
  if (value < least) {
    throw new PosthaulError(`${from} is "${value}": expected a whole number from ${least} on`, {
      code: codeOf(source),
      hint: `raise the cap, or lower ${flagOf(rows.LANES)}: each lane needs a share of the cap`,
    })
  }
  return {
    perMinute: Math.floor(
      allowed(resolved.maxEventsPerMinute, OPEN_PER_MINUTE, 'events a minute', approved) / share,
    ),
    events: allowed(resolved.maxEvents, OPEN_EVENTS, 'events', approved),
  }
}

/** The part of the cap of a distinct_id that is this import's, since others that run at once may send the same id. 0: no cap. */
export function perIdOf(
  { resolved }: Options<Values<readonly [typeof rows.MAX_EVENTS_PER_ID]>>,
  share = 1,
): number {
  const { value, source, from } = resolved.maxEventsPerId
  const least = LEAST_PER_ID * share
  if (value === 0 || value >= least) return Math.floor(value / share)
  throw new PosthaulError(`${from} is "${value}": expected 0, or a whole number from ${least} on`, {
    code: codeOf(source),
    hint: `a request holds a twentieth of it; 0 sends each distinct_id as fast as ${flagOf(rows.MAX_EVENTS_PER_MINUTE)} allows`,
  })
}

function allowed(cap: Resolved<number>, open: number, unit: string, approved: boolean): number {
  if (cap.value <= open || approved) return cap.value
  throw new PosthaulError(
    `${cap.from} is over ${number(open)} ${unit}: the service must approve that first`,
    {
      code: codeOf(cap.source),
      hint: `once its team has approved the migration, add ${flagOf(rows.APPROVED)}`,
    },
  )
}

function codeOf(source: ValueSource): 'usage' | 'config' {
  return source === 'cli' ? 'usage' : 'config'
}
