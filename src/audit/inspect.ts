import type { InputSource } from '../delivery/event-source.ts'
import { START } from '../delivery/place.ts'
import { PosthaulError } from '../errors.ts'
import { members } from '../record/cut.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { readHead } from '../record/head.ts'
import { LineFramer } from '../record/lines.ts'

/** What only a look at every event tells. */
export interface Inspection {
  /** Events that happened after `youngFrom`. */
  readonly young: number
  /** Group types in the order of their first event, and how many events name each. */
  readonly groupTypes: ReadonlyMap<string, number>
}

const GROUPS = Buffer.from('"$groups":{')
const GROUP_EVENT_JSON = Buffer.from(JSON.stringify(GROUP_EVENT))

/** Reads a dataset once, and makes sure on the way that its parts are whole. `youngFrom` in microseconds. */
export async function inspect(
  source: InputSource,
  youngFrom: number,
  interrupted: AbortSignal,
  progress: (bytes: number) => void,
): Promise<Inspection> {
  let young = 0
  const groupTypes = new Map<string, number>()
  const seen = (type: string) => void groupTypes.set(type, (groupTypes.get(type) ?? 0) + 1)
  const sink = {
    line(bytes: Buffer, start: number, end: number) {
      const head = readHead(bytes, start, end)
      if (!head) return
      if (head.instant >= youngFrom) young++
      const line = bytes.subarray(start, end)
      const groups = line.indexOf(GROUPS)
      if (groups >= 0) {
        const json = line.toString('utf8', groups + GROUPS.length - 1)
        for (const [type] of members(json)) seen(type)
      } else if (
        bytes.compare(GROUP_EVENT_JSON, 0, GROUP_EVENT_JSON.length, head.eventStart, head.eventEnd) === 0
      ) {
        const type = groupTypeOf(line)
        if (type !== undefined) seen(type)
      }
    },
    tooLong() {},
  }
  for await (const { chunks } of source.pieces(START)) {
    const framer = new LineFramer(sink)
    for await (const chunk of chunks) {
      framer.push(chunk)
      progress(chunk.length)
      if (interrupted.aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
    }
    framer.end()
  }
  return { young, groupTypes }
}

function groupTypeOf(line: Buffer): string | undefined {
  const { properties } = JSON.parse(line.toString('utf8')) as { properties: { $group_type?: unknown } }
  return typeof properties.$group_type === 'string' ? properties.$group_type : undefined
}
