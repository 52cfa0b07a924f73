import { PosthaulError } from '../errors.ts'
import type { Encoding } from '../mapping/columns.ts'
import type { Store } from '../store/store.ts'
import type { ArchiveMember } from './archive.ts'

export type InputFormat = 'ndjson' | 'json' | 'csv' | 'tsv' | 'parquet' | 'avro'
export type Compression = 'none' | 'gzip' | 'brotli'

/** A line above the header by which Excel knows the delimiter. */
export const SEP_LINE = /^"?sep=([^\w\s"]|\t)"?\s*$/i

/** What a file's content is, by its first bytes. */
export interface Content {
  readonly format: InputFormat
  /** Between the fields of csv and tsv. */
  readonly delimiter: string | undefined
  /** The preset whose columns the rows of a tsv without a header have: see presets/recognise.ts. */
  readonly headerless?: string
  /** True for lines of rows, `["a", 1]`: see compact-rows.ts. */
  readonly rows?: true
  /** True when its lines are rejects of an earlier run, each with its record. */
  readonly rejects: boolean
}

/** One file to read records from. Plain data: it can be handed to another thread. */
export interface InputFile extends Content {
  /** A path on this machine, or an address in a bucket. */
  readonly path: string
  /** Its name in messages and rejects: relative to the folder that was named, or the path where names clash. */
  readonly name: string
  /** Stored size of the file, or of the member in its archive. */
  readonly size: number
  readonly mtimeMs: number
  /** Of an object in a bucket, which has no time. Of an archive's member that of the archive. */
  readonly etag?: string
  /**
   * What its text is in; UTF-8 when not given. Of a file of rejects that of the bytes that they keep: the file itself is
   * UTF-8.
   */
  readonly encoding?: Encoding
  /** True when its byte order mark says the encoding: nothing else does then. */
  readonly isMarked?: boolean
  /** Set where the JSON is Python's, which has NaN and infinities. */
  readonly json?: 'python'
  readonly compression: Compression
  /** The table that its records are rows of, as its path or a vendor's manifest names it. */
  readonly table?: string
  /** The records are in this member of the zip archive at `path`. */
  readonly member?: ArchiveMember & { readonly archiveBytes: number }
}

/** Whose path is made from its name when it is asked for. */
interface WithPath {
  readonly path: string
}

/** The place of files in a store: of 200,000 files whose folder has a long name the paths alone were 60 MB. */
export function placeOfFiles(store: Pick<Store, 'address'>): WithPath {
  return {
    get path() {
      return store.address((this as WithPath & Pick<InputFile, 'name'>).name)
    },
  }
}

/** An object with the path of another one. Any copy of it, in this thread or in another one, has the path as text. */
class AtPlace {
  constructor(place: WithPath, about: object) {
    // First, so that it is written first.
    Object.defineProperty(this, 'path', Object.getOwnPropertyDescriptor(place, 'path')!)
    Object.assign(this, about)
  }
}

export function atPlace<T extends object>(place: WithPath, about: T): T & WithPath {
  return new AtPlace(place, about) as T & WithPath
}

export interface CellReading {
  readonly encoding?: Encoding | undefined
  readonly json?: 'python' | undefined
}

/**
 * Inputs to be read as a mapping file says. A byte order mark decides over it. Code `input` for UTF-16 without a mark that
 * nobody has spoken of, or that another encoding is said of.
 */
export function readAs(inputs: readonly InputFile[], { encoding, json }: CellReading): InputFile[] {
  return inputs.map((input) => {
    // Nobody has said anything: no second copy of a list of many files.
    if ((encoding ?? json ?? input.encoding ?? input.json) === undefined) return input
    const { json: _, ...plain } = input
    const isJson = input.format === 'ndjson' || input.format === 'json'
    const read = { ...plain, ...(isJson && json && { json }) }
    if (input.isMarked || input.format === 'parquet' || input.format === 'avro') return read
    const { encoding: seen, ...rest } = read
    if (seen === undefined || seen === encoding)
      return encoding === undefined || encoding === 'utf-8' ? rest : { ...rest, encoding }
    const isSaid = encoding === undefined ? '' : `, and the mapping file says encoding: ${encoding}`
    throw new PosthaulError(`${input.path} is text in UTF-16 without a byte order mark${isSaid}`, {
      code: 'input',
      hint: `say so in the mapping file: "encoding: ${seen}"; posthaul init writes it${isSaid && '. Files in two encodings want two transforms'}`,
    })
  })
}
