import { dayText } from '../../record/index.ts'
import type { EventPart } from '../../store/index.ts'
import type { LinksFile } from '../links.ts'

/** The dataset of an earlier window, as it was when the transform began. Plain data. */
export interface EarlierDataset {
  readonly location: string
  readonly parts: readonly EventPart[]
  /** Undefined if it keeps none. */
  readonly links: LinksFile | undefined
}

/** A part of an earlier dataset. */
export interface EarlierPart {
  readonly location: string
  readonly part: EventPart
}

/** The parts that earlier datasets have of a day, counted from 1970-01-01. */
export function partsOf(earlier: readonly EarlierDataset[], day: number): EarlierPart[] {
  const text = dayText(day)
  return earlier.flatMap(({ location, parts }) =>
    parts.filter((part) => part.day === text).map((part) => ({ location, part })),
  )
}
