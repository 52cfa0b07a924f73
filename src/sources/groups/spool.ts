import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { elements } from '../../record/cut.ts'
import { LineFramer } from '../../record/lines.ts'
import { fileError } from '../../store/file-error.ts'
import type { GroupBatch, GroupRecord } from './record.ts'

/**
 * The groups of one type as they were read, a page at a time, so that an export goes on where it was cut short.
 *
 *     H{"version":1,…}                              whose groups these are, and how they are read
 *     R"acme","2024-03-01T12:00:00Z",{"name":…}     a group: key, creation, properties as the service wrote them
 *     P{"seen":"…","next":"…"}                      the page is whole; the place of the next one, null behind the last
 *
 * A page counts once its P line is on disk: what stands behind the last P line is cut off when the file is opened
 * again. A file whose head is another export's is begun anew.
 */
export interface SpoolHead {
  readonly origin: string
  readonly project: string
  readonly index: number
  readonly type: string
  readonly via: 'rest' | 'query'
}

const headSchema = z.strictObject({
  version: z.literal(1),
  origin: z.string(),
  project: z.string(),
  index: z.int(),
  type: z.string(),
  via: z.enum(['rest', 'query']),
})
const pageSchema = z.strictObject({ seen: z.string(), next: z.string().nullable() })

const READ_BYTES = 1 << 20

export class Spool {
  readonly head: SpoolHead
  /** Fingerprints of the pages it holds. */
  readonly seen: readonly string[]
  /** Groups it held when it was opened. */
  readonly rows: number
  /** Where the next page is; undefined before the first, null behind the last. */
  next: string | null | undefined
  readonly #file: FileHandle
  readonly #path: string
  #size: number

  private constructor(path: string, file: FileHandle, head: SpoolHead, found: Found) {
    this.#path = path
    this.#file = file
    this.head = head
    this.seen = found.seen
    this.rows = found.rows
    this.next = found.next
    this.#size = found.size
  }

  /** What was begun at `path`, or undefined. */
  static async peek(path: string): Promise<SpoolHead | undefined> {
    const file = await open(path, 'r').catch(() => undefined)
    if (!file) return undefined
    try {
      return (await find(file)).head
    } finally {
      await file.close()
    }
  }

  /** Opens the spool at `path` behind its last whole page, or begins it. */
  static async open(path: string, head: SpoolHead): Promise<Spool> {
    try {
      await mkdir(dirname(path), { recursive: true })
      const file = await open(path, 'a+')
      let found = await find(file)
      if (!found.head || !sameHead(found.head, head)) {
        await file.truncate(0)
        const line = Buffer.from(`H${JSON.stringify({ version: 1, ...head })}\n`)
        await file.appendFile(line)
        found = { head, seen: [], rows: 0, next: undefined, size: line.length }
      }
      await file.truncate(found.size)
      return new Spool(path, file, head, found)
    } catch (error) {
      throw fileError(error, 'write', path)
    }
  }

  /** Adds a whole page, durably. */
  async add({ groups, seen, next }: GroupBatch): Promise<void> {
    const lines = groups.map(
      ({ key, createdAt, properties }) =>
        // Line breaks between the tokens of JSON are blanks; within its strings there are none.
        `R${JSON.stringify(key)},${JSON.stringify(createdAt)},${properties.replaceAll(/[\r\n]/g, ' ')}\n`,
    )
    const bytes = Buffer.from(`${lines.join('')}P${JSON.stringify({ seen, next })}\n`)
    try {
      await this.#file.appendFile(bytes)
      await this.#file.datasync()
    } catch (error) {
      throw fileError(error, 'write', this.#path)
    }
    this.#size += bytes.length
    this.next = next
  }

  /** Calls `each` with every group, in the order they were read, and its place in the file. */
  async read(each: (group: GroupRecord, offset: number) => void): Promise<void> {
    await frame(this.#file, this.#size, (kind, bytes, start, end, offset) => {
      if (kind !== 'R') return
      const [key, createdAt, properties] = elements(`[${bytes.toString('utf8', start, end)}]`)
      each({ key: textOf(key), createdAt: textOf(createdAt), properties: properties! }, offset)
    })
  }

  async close(): Promise<void> {
    await this.#file.close()
  }
}

interface Found {
  readonly head: SpoolHead | undefined
  readonly seen: readonly string[]
  readonly rows: number
  readonly next: string | null | undefined
  /** Bytes up to the end of the last whole page. */
  readonly size: number
}

async function find(file: FileHandle): Promise<Found> {
  let head: SpoolHead | undefined
  let rows = 0
  let found = { rows: 0, next: undefined as string | null | undefined, size: 0 }
  const seen: string[] = []
  const { size } = await file.stat()
  await frame(file, size, (kind, bytes, start, end, offset) => {
    const after = offset + end - start + 2
    if (kind === 'R') rows++
    if (kind === 'H') {
      const { version: _, ...read } = headSchema.parse(JSON.parse(bytes.toString('utf8', start, end)))
      head = read
      found = { ...found, size: after }
    }
    if (kind === 'P') {
      const page = pageSchema.parse(JSON.parse(bytes.toString('utf8', start, end)))
      seen.push(page.seen)
      found = { rows, next: page.next, size: after }
    }
  }).catch((error) => {
    // A file that is not ours, or of another version, is begun anew like another export's.
    if (error instanceof z.ZodError || error instanceof SyntaxError) head = undefined
    else throw error
  })
  return { head, seen, ...found }
}

/** A line without its first letter, which is its kind; `offset` is where the letter stands. */
type EachLine = (kind: string, bytes: Buffer, start: number, end: number, offset: number) => void

async function frame(file: FileHandle, size: number, each: EachLine): Promise<void> {
  const framer = new LineFramer(
    {
      line: (bytes, start, end, offset) =>
        each(String.fromCharCode(bytes[start]!), bytes, start + 1, end, offset),
      tooLong: () => {},
    },
    Number.MAX_SAFE_INTEGER,
  )
  const buffer = Buffer.allocUnsafe(READ_BYTES)
  for (let at = 0; at < size; ) {
    const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, size - at), at)
    if (bytesRead === 0) break
    framer.push(buffer.subarray(0, bytesRead))
    at += bytesRead
  }
}

function sameHead(a: SpoolHead, b: SpoolHead): boolean {
  return (
    a.origin === b.origin &&
    a.project === b.project &&
    a.index === b.index &&
    a.type === b.type &&
    a.via === b.via
  )
}

function textOf(json: string | undefined): string {
  return JSON.parse(json!) as string
}
