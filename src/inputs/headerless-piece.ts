import { PosthaulError } from '../errors.ts'

/** Cells that no column is called by: a time, a UUID, an address, JSON. */
export const OF_RECORD =
  /^(?:\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d.*)?|\d{1,2}[./]\d{1,2}[./]\d{4}.*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[^\s@]+@[^\s@]+\.[^\s@]+|https?:\/\/\S+|\{.*\}|\[.*\])$/i
/** Years and other numbers do name columns. */
export const NUMBER = /^-?\d+(?:[.,]\d+)?$/

/** The first row of a table's file. */
export interface FirstRow {
  readonly path: string
  readonly names: readonly string[]
}

/**
 * Refuses a file whose first row is a record where the other's names the columns: a piece of the same table, cut by lines. As
 * names the row would be lost.
 */
export function refuseHeaderless(one: FirstRow, other: FirstRow): void {
  for (const [piece, { names, path }] of [[one, other] as const, [other, one] as const]) {
    if (piece.names.length !== names.length || names.some((name) => piece.names.includes(name))) continue
    if (!hasValues(piece) || hasValues({ names })) continue
    throw new PosthaulError(
      `${piece.path} has no header: its first row is a record of the columns of ${path}`,
      {
        code: 'input',
        hint: 'put the pieces of the table together, as cat does, or the header above each',
      },
    )
  }
}

function hasValues({ names }: Pick<FirstRow, 'names'>): boolean {
  return names.some((name) => OF_RECORD.test(name.trim()) || NUMBER.test(name.trim()))
}
