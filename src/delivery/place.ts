/** A place between two lines: part (0 in a file), byte offset in its unpacked text, number of the next line. */
export interface Place {
  readonly part: number
  readonly offset: number
  readonly line: number
}

/** The beginning of every input. */
export const START: Place = { part: 0, offset: 0, line: 1 }

/** The beginning of a part of the input. */
export function startOf(part: number): Place {
  return { part, offset: 0, line: 1 }
}

/** True when `a` comes before `b`. */
export function isBefore(a: Place, b: Place): boolean {
  return a.part < b.part || (a.part === b.part && a.offset < b.offset)
}

/** The first of some places. */
export function earliest(places: readonly Place[]): Place {
  return places.reduce((least, place) => (isBefore(place, least) ? place : least))
}

/** The last of some places. */
export function latest(places: readonly Place[]): Place {
  return places.reduce((most, place) => (isBefore(most, place) ? place : most))
}
