import { mkdirSync } from 'node:fs'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { listInputs } from '../../src/inputs/list.ts'
import { type RecordReadOptions, readRecords } from '../../src/inputs/read.ts'
import type { RecordSink } from '../../src/inputs/record-sink.ts'
import type { Reject } from '../../src/record/reject.ts'

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

/** Writes files (name: content) into a fresh folder and returns its path. */
export async function folderOf(files: Readonly<Record<string, string | Buffer>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'posthaul-formats-'))
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** Lists and reads one file. */
export async function readFileAs(
  name: string,
  content: string | Buffer,
  options?: RecordReadOptions,
): Promise<Collected> {
  const folder = await folderOf({ [name]: content })
  const [input] = await listInputs([join(folder, name)])
  const sink = new Collected()
  await readRecords(input!, sink, options)
  return sink
}
