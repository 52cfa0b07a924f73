import type { InputSource } from '../delivery/event-source.ts'
import { START } from '../delivery/place.ts'
import { PosthaulError } from '../errors.ts'
import { members } from '../record/cut.ts'
import { GROUP_EVENT, MAX_GROUP_KEY } from '../record/group-event.ts'
import { type Head, readHead } from '../record/head.ts'
import { LineFramer, type LineSink } from '../record/lines.ts'

/** What is found out only by reading every event. */
export interface Inspection {
  /** Events at or after `youngFrom`. */
  readonly young: number
  /** How many events name each group type; the types in the order of their first event. */
  readonly groupTypes: ReadonlyMap<string, number>
  /** Group events whose key is longer than the service's limit: the service drops them. */
  readonly longGroupKeys: number
}

const GROUPS = Buffer.from('"$groups":{')
const GROUP_EVENT_JSON = Buffer.from(JSON.stringify(GROUP_EVENT))

/** Reads event lines one by one, and counts what no manifest holds. */
export class Inspector {
  #young = 0
  #longGroupKeys = 0
  readonly #groupTypes = new Map<string, number>()
  readonly #youngFrom: number

  /** `youngFrom` in microseconds. */
  constructor(youngFrom: number) {
    this.#youngFrom = youngFrom
  }

  get inspection(): Inspection {
    return { young: this.#young, groupTypes: this.#groupTypes, longGroupKeys: this.#longGroupKeys }
  }

  look(line: Buffer, { instant, eventStart, eventEnd }: Head): void {
    if (instant >= this.#youngFrom) this.#young++
    const groups = line.indexOf(GROUPS)
    if (groups >= 0) {
      const json = line.toString('utf8', groups + GROUPS.length - 1)
      for (const [type] of members(json)) this.#count(type)
    } else if (line.compare(GROUP_EVENT_JSON, 0, GROUP_EVENT_JSON.length, eventStart, eventEnd) === 0) {
      const { type, key = '' } = groupOf(line)
      if (type !== undefined) this.#count(type)
      if (key.length > MAX_GROUP_KEY && [...key].length > MAX_GROUP_KEY) this.#longGroupKeys++
    }
  }

  #count(type: string): void {
    this.#groupTypes.set(type, (this.#groupTypes.get(type) ?? 0) + 1)
  }
}

/** Reads a dataset once, which also checks that its parts are whole. `youngFrom` in microseconds. */
export async function inspect(
  source: InputSource,
  youngFrom: number,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Inspection> {
  const inspector = new Inspector(youngFrom)
  const sink = {
    line(bytes: Buffer, start: number, end: number) {
      const line = bytes.subarray(start, end)
      const head = readHead(line, 0, line.length)
      if (head) inspector.look(line, head)
    },
    tooLong() {},
  }
  for await (const { chunks } of source.pieces(START)) {
    await readLines(chunks, sink, interrupted, progress)
  }
  return inspector.inspection
}

/** Splits a piece of the input into lines. `between` is awaited after each chunk. Throws `interrupted`. */
export async function readLines(
  chunks: AsyncIterable<Buffer>,
  sink: LineSink,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
  between?: () => Promise<void>,
): Promise<void> {
  const framer = new LineFramer(sink)
  for await (const chunk of chunks) {
    framer.push(chunk)
    progress(chunk.length)
    if (interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
    await between?.()
  }
  framer.end()
  await between?.()
}

function groupOf(line: Buffer): { readonly type?: string; readonly key?: string } {
  const { properties } = JSON.parse(line.toString('utf8')) as { properties: Record<string, unknown> }
  const { $group_type: type, $group_key: key } = properties
  return { ...(typeof type === 'string' && { type }), ...(typeof key === 'string' && { key }) }
}
