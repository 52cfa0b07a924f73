import type { ByteWriter } from '../record/byte-writer.ts'
import { type Head, newHead, readHead } from '../record/head.ts'
import { areEmpty, type Notes } from '../record/notes.ts'
import { lineOf, parseReject, type Reject, recordOf } from '../record/reject.ts'
import type { Refusal } from '../record/rules.ts'
import type { BatchSource } from './batch.ts'

/** Why a line is not sent. A `filtered` line is left out on purpose: it is counted, and is not a reject. */
export type Unsent = Refusal & { readonly filtered?: true }

/** Maps a record in the service's own form to an event line. Commands pass the rule book in as this. */
interface RecordMapper {
  readonly notes: Notes
  map(line: Buffer, start: number, end: number): MappedLine
  takeNotes(): Notes
}

/** The line of an `event` is good until the next record is mapped. */
type MappedLine =
  | { readonly status: 'event'; readonly line: Pick<ByteWriter, 'bytes' | 'length'> }
  | ({ readonly status: 'rejected' } & Refusal)
  | { readonly status: 'filtered'; readonly reason: string; readonly distinctId?: string }

/** The byte offset and the number of a line in its file. */
type LineAt = Pick<Reject, 'offset' | 'line'>

/** Makes an event line of an input line. Each `read` overwrites the fields: they are valid until the next call. */
export interface LineReader {
  /** The event line is bytes[start, end). */
  readonly bytes: Buffer
  readonly start: number
  readonly end: number
  readonly head: Head
  readonly source: BatchSource
  /** Begins a file. `file` is its name, if the input has several. */
  begin(file: string | undefined): void
  /** Reads bytes[start, end), the line at this place. Returns why it is not sent; undefined if it is an event. */
  read(bytes: Buffer, start: number, end: number, at: LineAt): Unsent | undefined
  /** Notes a line that is too long to be read. */
  skip(offset: number, line: number): void
  /** The reject of the line that was read or skipped last. */
  reject(refusal: Refusal): Reject
  /** The notes since the last call; undefined if there are none. */
  takeNotes(): Notes | undefined
}

const NO_BYTES: Buffer = Buffer.alloc(0)

/** Reads the lines of a dataset. They are event lines already, so only their head is read. */
export class EventLineReader implements LineReader {
  bytes = NO_BYTES
  start = 0
  end = 0
  readonly head = newHead()
  readonly source = { offset: 0, line: 0, file: undefined as string | undefined, record: undefined }
  /** False for a line that was too long to be read. */
  #held = false

  begin(file: string | undefined): void {
    this.source.file = file
  }

  read(bytes: Buffer, start: number, end: number, { offset, line }: LineAt): Refusal | undefined {
    this.bytes = bytes
    this.start = start
    this.end = end
    this.#held = true
    this.source.offset = offset
    this.source.line = line
    const { head } = this
    if (!readHead(bytes, start, end, head)) {
      return {
        reason: 'not_an_event_line',
        message: 'not a line that transform wrote, or its time cannot be read',
      }
    }
    return undefined
  }

  skip(offset: number, line: number): void {
    this.#held = false
    this.source.offset = offset
    this.source.line = line
  }

  reject(refusal: Refusal): Reject {
    return rejectOf(refusal, this.source, this.#held ? this : undefined)
  }

  takeNotes(): undefined {
    return undefined
  }
}

/** `record`: undefined for one that was too long to be read. */
function rejectOf(
  { reason, message }: Refusal,
  { offset, line, file }: Pick<BatchSource, 'offset' | 'line' | 'file'>,
  record: Pick<LineReader, 'bytes' | 'start' | 'end'> | undefined,
): Reject {
  const kept = record ? recordOf(record.bytes, record.start, record.end) : { record: null }
  return { line, offset, reason, message, ...kept, ...(file !== undefined && { file }) }
}

/** Reads lines of the service's own events, or of rejects, of which it takes the record. */
export class FileLineReader implements LineReader {
  bytes = NO_BYTES
  start = 0
  end = 0
  readonly head = newHead()
  source: BatchSource = { offset: 0, line: 0, file: undefined, record: undefined }
  readonly #mapper: RecordMapper
  #record: { bytes: Buffer; start: number; end: number } | undefined
  #file: string | undefined

  constructor(mapper: RecordMapper) {
    this.#mapper = mapper
  }

  begin(file: string | undefined): void {
    this.#file = file
  }

  read(bytes: Buffer, start: number, end: number, { offset, line }: LineAt): Unsent | undefined {
    const was = parseReject(bytes, start, end)
    if (!was) return this.#map({ bytes, start, end }, { offset, line, file: this.#file })
    // A reject says where its record was at first.
    if (was.record === null) {
      this.#skip(was)
      return { reason: was.reason, message: was.message }
    }
    const record = lineOf(was)!
    return this.#map({ bytes: record, start: 0, end: record.length }, was)
  }

  skip(offset: number, line: number): void {
    this.#skip({ offset, line, file: this.#file })
  }

  reject(refusal: Refusal): Reject {
    return rejectOf(refusal, this.source, this.#record)
  }

  takeNotes(): Notes | undefined {
    return areEmpty(this.#mapper.notes) ? undefined : this.#mapper.takeNotes()
  }

  #skip({ offset, line, file }: Place): void {
    this.#record = undefined
    this.source = { offset, line, file, record: undefined }
  }

  #map(record: { bytes: Buffer; start: number; end: number }, place: Place): Unsent | undefined {
    const { offset, line, file } = place
    this.#record = record
    this.source = { offset, line, file, record: undefined }
    const mapped = this.#mapper.map(record.bytes, record.start, record.end)
    if (mapped.status === 'filtered') return { ...mapped, message: '', filtered: true }
    if (mapped.status === 'rejected') return mapped
    this.bytes = mapped.line.bytes
    this.start = 0
    this.end = mapped.line.length
    if (!readHead(this.bytes, 0, this.end, this.head)) throw new Error('a mapped line is not an event line')
    // If mapping changed nothing, a reject can use the event's own bytes: no second copy is kept.
    const same = this.bytes.compare(record.bytes, record.start, record.end, 0, this.end) === 0
    if (!same) this.source = { offset, line, file, record }
    return undefined
  }
}

/** Where a record is, or where it was when it was first rejected. */
type Place = LineAt & { readonly file?: string | undefined }
