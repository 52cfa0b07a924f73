import { listInputs } from '../inputs/list.ts'
import { readRecords } from '../inputs/read.ts'
import { headUuid } from '../record/head.ts'

/** An event's line in a dataset or a file. */
export interface EventPlace {
  readonly file: string
  /** It counts from 1. */
  readonly line: number
  readonly text: string
}

/** The first event under each of these uuids, in lower case, that datasets and files have. `stop` throws its reason. */
export async function eventsByUuid(
  uuids: ReadonlySet<string>,
  paths: readonly string[],
  stop: AbortSignal,
): Promise<Map<string, EventPlace>> {
  const places = new Map<string, EventPlace>()
  const enough = new AbortController()
  for (const input of await listInputs(paths)) {
    if (places.size === uuids.size) break
    const sink = {
      line(bytes: Buffer, start: number, end: number, _offset: number, number: number) {
        const uuid = headUuid(bytes, start)
        const own = uuids.has(uuid) ? uuid : uuidWithin(bytes.toString('utf8', start, end), uuids)
        if (own === undefined || places.has(own)) return
        places.set(own, { file: input.path, line: number, text: bytes.toString('utf8', start, end) })
        if (places.size === uuids.size) enough.abort()
      },
      tooLong() {},
      reject() {},
      unusable() {},
    }
    await readRecords(input, sink, { stop: AbortSignal.any([enough.signal, stop]) })
    stop.throwIfAborted()
  }
  return places
}

/** The uuid of an event whose members are in another order, as files have them. */
function uuidWithin(line: string, uuids: ReadonlySet<string>): string | undefined {
  if (!line.includes('"uuid"')) return undefined
  try {
    const uuid = String((JSON.parse(line) as { readonly uuid?: unknown }).uuid).toLowerCase()
    return uuids.has(uuid) ? uuid : undefined
  } catch {
    return undefined
  }
}
