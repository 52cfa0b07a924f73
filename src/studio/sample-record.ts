/** Why a reader could not make a record of a piece of the input. */
export interface ReadRefusal {
  readonly reason: string
  readonly message: string
  /** Its text; null when it was too long to be held. */
  readonly record: string | null
}

/** One record of the sample. Its place in the sample is its number. */
export interface SampleRecord {
  /** A line of JSON; empty for what was refused. */
  readonly bytes: Buffer
  /** As its file has it, where column types made others of its cells. */
  readonly row?: string | undefined
  readonly refused: ReadRefusal | null
  /** The input's name. */
  readonly file: string
  /** From 1; null where the reading began in the middle of the file. */
  readonly line: number | null
}
