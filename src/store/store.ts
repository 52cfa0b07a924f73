/** A file of a store; `name` is relative to it, with `/` between folders. */
export interface StoredFile {
  readonly name: string
  readonly bytes: number
}

/** Half open, in bytes: `end` is the first byte left out. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** What a put is tied to: that the name is free, or that it still holds the bytes a `load` returned. */
export type PutCondition = 'absent' | { readonly version: string }

/** What became of a put. `sha256` is lower-case hex; `version` is what a `load` of these bytes would say. */
export interface Put {
  readonly bytes: number
  readonly sha256: string
  readonly version: string
}

/** A small file read in one go; `version` stands for exactly these bytes in a later conditional put. */
export interface Loaded {
  readonly bytes: Uint8Array
  readonly version: string
}

export type Body = Uint8Array | AsyncIterable<Uint8Array>

/**
 * Where a dataset lives: a folder, or a prefix in a bucket. Files are whole or absent, never half written, and
 * are replaced, never appended to. Every failure is a PosthaulError; a lost condition has the code `mismatch`.
 * Names that start with a dot belong to the store itself and are never listed.
 */
export interface Store {
  /** As the user typed it: `./events` or `s3://bucket/prefix`. */
  readonly location: string
  /** A file's full address, to be shown in messages and handed to another thread. */
  address(name: string): string
  /** Every file at any depth, by name in code unit order. A store nobody has written to is an empty one. */
  list(): Promise<StoredFile[]>
  /** The file's bytes or a range of them; a range that ends beyond the file is a short read, no error. */
  read(name: string, range?: ByteRange): AsyncIterable<Buffer>
  /** The same for readers that are done with a chunk when they ask for the next one: its bytes are gone by then. */
  readThrough(name: string, range?: ByteRange): AsyncIterable<Buffer>
  /** Something that is another once the file is another one or was written to; undefined when there is no such file. */
  stamp(name: string): Promise<string | undefined>
  /** The whole of a small file, or undefined when there is none. */
  load(name: string): Promise<Loaded | undefined>
  /**
   * Writes a whole file; it appears under its name only once every byte is safe. A failed body leaves nothing.
   * A chunk of the body is done with when the next one is asked for.
   */
  put(name: string, body: Body, condition?: PutCondition): Promise<Put>
  /** Removes a file; one that is not there is fine. */
  remove(name: string): Promise<void>
  /** Clears what interrupted puts left behind. Only for the holder of the dataset's lock. */
  sweep(): Promise<void>
}
