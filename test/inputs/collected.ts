import { join } from 'node:path'
import { listInputs } from '../../src/inputs/list.ts'
import { type RecordReadOptions, readRecords } from '../../src/inputs/read.ts'
import type { RecordSink } from '../../src/inputs/record-sink.ts'
import type { Reject } from '../../src/record/reject.ts'
import { folderOf } from '../helpers/folder.ts'

/** A sink that keeps what it is given. */
export class Collected implements RecordSink {
  readonly lines: string[] = []
  readonly places: Array<{ offset: number; number: number }> = []
  readonly long: Array<{ offset: number; length: number; number: number }> = []
  readonly rejects: Reject[] = []
  /** What rules could not use. */
  readonly unread: string[] = []

  line(bytes: Buffer, start: number, end: number, offset: number, number: number): void {
    this.lines.push(bytes.toString('utf8', start, end))
    this.places.push({ offset, number })
  }

  tooLong(offset: number, length: number, number: number): void {
    this.long.push({ offset, length, number })
  }

  reject(reject: Reject): void {
    this.rejects.push(reject)
  }

  unusable(what: string): void {
    this.unread.push(what)
  }
}

/** Lists and reads one file. */
export async function readFileAs(
  name: string,
  content: string | Buffer,
  options?: RecordReadOptions,
): Promise<Collected> {
  const folder = folderOf({ [name]: content })
  const [input] = await listInputs([join(folder, name)])
  const sink = new Collected()
  await readRecords(input!, sink, options)
  return sink
}
