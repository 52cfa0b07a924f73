import { MS_PER_HOUR } from '../../text/index.ts'
import type { Memory } from '../source.ts'
import { windowsOf } from '../window.ts'
import type { NamedSlice } from './slices.ts'

/** How windows are cut by the number of their rows. */
export interface WindowSizing {
  /** The most rows of a part, as far as hours allow. */
  readonly mostRows: number
  count(named: NamedSlice): Promise<number>
}

/**
 * Decides into how many equal parts of whole hours each window is cut that is new. It is decided once and remembered: rows
 * that come later must not change what the parts are.
 */
export async function decideCuts(
  slices: readonly NamedSlice[],
  { mostRows, count }: WindowSizing,
  memory: Pick<Memory, 'cut' | 'keepCut'>,
): Promise<void> {
  for (const named of slices) {
    const hours = hoursOf(named)
    if (hours <= 1 || memory.cut(named.name) !== undefined) continue
    memory.keepCut(named.name, partsFor(hours, (await count(named)) / mostRows))
  }
}

/** The parts of a window as it was decided. */
export function cutParts(named: NamedSlice, { cut }: Pick<Memory, 'cut'>): readonly NamedSlice[] {
  const { name, slice, over } = named
  const { where } = slice
  const parts = cut(name) ?? 1
  if (parts === 1 || (where.by !== 'time' && where.by !== 'ends')) return [named]
  const { start, end } = where.span
  const table = name.slice(0, name.lastIndexOf('.'))
  return windowsOf(start, end, (end - start) / parts).map((span) => ({
    name: `${table}.${span.name}`,
    slice: { ...slice, where: { ...where, span } },
    over: over === undefined ? undefined : span.end,
  }))
}

/** The whole hours of a window; 1 for what can't be cut by them. */
function hoursOf({ slice: { where } }: NamedSlice): number {
  const isTimed = where.by === 'ends' || (where.by === 'time' && where.column.time !== 'date')
  return isTimed ? (where.span.end - where.span.start) / MS_PER_HOUR : 1
}

/** The least number of equal parts of whole hours that is not less than what is wanted. */
function partsFor(hours: number, wanted: number): number {
  for (let parts = 1; parts < hours; parts++) if (hours % parts === 0 && parts >= wanted) return parts
  return hours
}
