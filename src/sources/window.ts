import { PosthaulError } from '../errors.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../text/units.ts'

/** A span of time: [start, end), in milliseconds since the epoch. */
export interface WindowSpan {
  readonly start: number
  readonly end: number
}

/** A span of UTC time that one part covers. */
export interface Window extends WindowSpan {
  /** `2024-03-01`, or `2024-03-01T05` where windows are shorter than a day. */
  readonly name: string
}

/** The shortest text that `--from` and `--to` read as the hour of this instant. */
export function formatUtc(instant: number): string {
  const text = new Date(instant).toISOString()
  return instant % MS_PER_DAY === 0 ? text.slice(0, 10) : text.slice(0, 13)
}

/** The months that days (`2024-03-01`) lie in, oldest first: `2024-03`. */
export function monthsOf(days: readonly string[]): string[] {
  return [...new Set(days.map((day) => day.slice(0, 7)))].sort()
}

/** Throws `usage` where there is no time between them. */
export function assertSpan(from: number, to: number): void {
  if (from < to) return
  throw new PosthaulError(`--from ${formatUtc(from)} is not before --to ${formatUtc(to)}`, {
    code: 'usage',
    hint: '--to itself is not included: for one day, give the day after it',
  })
}

/**
 * Cuts `[from, to)` into windows of `spanMs`, oldest first. Throws `usage` if an end is not on a window's edge, or is
 * after `until`, the end of what can be exported now.
 */
export function windowsOf(
  from: number,
  to: number,
  spanMs: number,
  until = Number.POSITIVE_INFINITY,
): Window[] {
  for (const [flag, instant] of [
    ['--from', from],
    ['--to', to],
  ] as const) {
    if (instant % spanMs === 0) continue
    throw new PosthaulError(`${flag} ${new Date(instant).toISOString()} is inside a window`, {
      code: 'usage',
      hint:
        spanMs === MS_PER_DAY
          ? 'windows are whole UTC days: give a day, like 2024-03-01'
          : `windows are ${spanMs / MS_PER_HOUR} h long and begin at midnight UTC: give an edge of one`,
    })
  }
  assertSpan(from, to)
  if (to > until) {
    throw new PosthaulError(
      `--to ${formatUtc(to)} is too late: data can be exported until ${formatUtc(until)}`,
      {
        code: 'usage',
        hint: `give --to ${formatUtc(until - (until % spanMs))}, and fetch the rest another day`,
      },
    )
  }
  const windows: Window[] = []
  for (let start = from; start < to; start += spanMs) {
    const iso = new Date(start).toISOString()
    windows.push({ name: iso.slice(0, spanMs === MS_PER_DAY ? 10 : 13), start, end: start + spanMs })
  }
  return windows
}
