import type { Reconciled, Source } from '../../sources/index.ts'
import { plural } from '../../text/index.ts'
import { FETCH_AGAIN, type FinishedExport, type Held, whyUnknown } from './hold.ts'

/** What the source's own counts say of the parts, and the windows in which rows came or went since they were read. */
interface Recounted {
  readonly held: Held
  readonly changed: readonly string[]
}

/** After so many readings a window that still changes is left to a later run. */
const MOST_READINGS = 3

/**
 * Counts all windows again where their rows are, and reads those again, whole, whose rows have become others. Each was held
 * against its count when it was read, so what keeps the counts from being asked for is no failure.
 */
export async function recounted(
  finished: FinishedExport,
  readAgain: (windows: readonly string[]) => Promise<void>,
): Promise<Held> {
  for (let readings = 1; ; readings++) {
    const { held, changed } = await countAgain(finished)
    if (changed.length === 0 || readings === MOST_READINGS) return held
    const words = plural(changed.length, 'window')
    finished.progress.note(`${words} got or lost rows since: they are read again`)
    await readAgain(changed)
  }
}

async function countAgain({ source, state, call, progress }: FinishedExport): Promise<Recounted> {
  const { by, count } = source.recount!
  progress.note(`asking how many rows ${by} counts by now`)
  const short: Reconciled['short'][number][] = []
  const sums = { here: 0, there: 0 }
  try {
    for (const { name: day } of source.pieces) {
      const there = await count(day, call)
      const here = state.frozen(day)?.lines ?? 0
      if (there === undefined) continue
      sums.here += here
      sums.there += there
      if (here !== there) short.push({ day, event: 'rows', here, there })
    }
  } catch (failure) {
    return { held: whyUnknown(by, failure), changed: [] }
  }
  const found = foundOf(source, { ...sums, short })
  return {
    held: {
      verdict: { vendor: by, found, whenShort: source.whenShort ?? FETCH_AGAIN, units: ['window', 'row'] },
    },
    changed: short.map(({ day }) => day),
  }
}

function foundOf({ pieces }: Source, sums: Pick<Reconciled, 'here' | 'there' | 'short'>): Reconciled {
  return {
    ...{ zone: 'UTC', isZoneKnown: true, days: pieces.length, otherDays: 0, lastDays: 0 },
    ...sums,
    ...{ arriving: [], untold: [], uncertainParts: 0, uncertainDays: 0 },
  }
}
