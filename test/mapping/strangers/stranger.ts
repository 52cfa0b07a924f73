import type { SourceRecord } from './source-leaves.ts'

/** Files as somebody has them whom nobody knows, and what they hold by a reader that is not the program's. */
export interface Stranger {
  readonly about: string
  /** Writes the files into a folder and returns what `init` and `transform` are given. */
  readonly write: (folder: string) => Promise<readonly string[]> | readonly string[]
  readonly records: readonly SourceRecord[]
  /** The member by which a record is found in what was made of it. */
  readonly key: string
  /** What the user writes in the mapping file before it is used. */
  readonly edit?: (yaml: string) => string
  /** Records that become rejects; none when not given. */
  readonly rejected?: number
  /** Records and events as `transform` is to count them, where a record becomes several. */
  readonly counted?: Readonly<Record<'records' | 'events', Readonly<Record<string, number>>>>
  /** Columns that the vendor calls otherwise in its own API, as the program's lists of members do. */
  readonly alias?: Readonly<Record<string, string>>
}
