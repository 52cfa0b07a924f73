export type InputFormat = 'ndjson' | 'json' | 'csv' | 'tsv'
export type Compression = 'none' | 'gzip'

/** What a file's content is, by its first bytes. */
export interface Content {
  readonly format: InputFormat
  /** Between the fields of csv and tsv. */
  readonly delimiter: string | undefined
  /** Its lines are rejects of an earlier run, each with the record in it. */
  readonly rejects: boolean
}

/** One file to read records from. Plain data: it can be handed to another thread. */
export interface InputFile extends Content {
  readonly path: string
  /** How messages and rejects call it: its place in the folder that was named, when no other file has the same. */
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
  readonly compression: Compression
}
