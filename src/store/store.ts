/** A file of a store; `name` is relative to it, with `/` between folders. */
export interface StoredFile {
  readonly name: string
  readonly bytes: number
  /** Of an object in a bucket. Files have none. */
  readonly etag?: string
}

/** Half open, in bytes: `end` is the first byte left out. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** The condition of a put: the name is free, or still holds the bytes that a `load` returned. */
export type PutCondition = 'absent' | { readonly version: string }

/** The result of a put. `sha256` is lower-case hex; `version` is what a `load` of these bytes would return. */
export interface Put {
  readonly bytes: number
  readonly sha256: string
  readonly version: string
}

/** A small file read in one go; `version` means exactly these bytes in a later conditional put. */
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
  /** A file's full address, for messages and other threads. */
  address(name: string): string
  /** Every file at any depth, by name in code unit order. A store that does not exist yet is empty. */
  list(): Promise<StoredFile[]>
  /**
   * The file's bytes or a range of them; a range that ends beyond the file is a short read, no error. With the ETag that
   * `list` gave: code `mismatch` if the object is another by now, or gone.
   */
  read(name: string, range?: ByteRange, etag?: string): AsyncIterable<Buffer>
  /** The same, faster, for readers that finish a chunk before they ask for the next one: its bytes are gone then. */
  readThrough(name: string, range?: ByteRange): AsyncIterable<Buffer>
  /** A text that changes when the file is replaced or written to; undefined when there is no such file. */
  stamp(name: string): Promise<string | undefined>
  /** The whole of a small file, or undefined when there is none. */
  load(name: string): Promise<Loaded | undefined>
  /**
   * Writes a whole file; it appears under its name once every byte is safe. A failed body leaves nothing. A chunk of
   * the body is not used after the next one is asked for.
   */
  put(name: string, body: Body, condition?: PutCondition): Promise<Put>
  /** Removes a file; one that is not there is fine. */
  remove(name: string): Promise<void>
  /** Clears what interrupted puts left behind. Only for the holder of the dataset's lock: the put of another run would fail. */
  sweep(): Promise<void>
}
