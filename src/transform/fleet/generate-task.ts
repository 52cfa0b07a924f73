import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { sum } from '../../text/index.ts'
import { generateAll } from '../generate.ts'
import type { WrittenFile } from '../work-file.ts'
import { type FleetPiece, resultsOf } from './done-file.ts'
import type { MapDone } from './map-task.ts'
import { bucketsOf } from './pack.ts'
import { type TaskOrder, withHost } from './piece-order.ts'
import { bytesIn, fetchBucket } from './pieces.ts'
import { type RunObject, writeRuns } from './run-objects.ts'

/** The bucket on this machine. */
const SEEN = 'bucket.seen'

/** The result of a generate task. */
export interface GenerateDone {
  readonly runs: readonly RunObject[]
  /** Lines of links.ndjson, and how many. */
  readonly linksFile: FleetPiece | null
  readonly links: number
  /** Events that were made of observations: fewer are written where two are equal. */
  readonly events: number
}

const NOTHING: GenerateDone = { runs: [], linksFile: null, links: 0, events: 0 }

/** Turns the observations of one bucket, from all map tasks, into events. */
export async function runGenerate(order: TaskOrder): Promise<GenerateDone> {
  const { known, index, store, folder, job, files } = order
  const { tasks } = known.plan
  const of = bucketsOf(tasks)
  // Also where there is nothing to do, this task ends after all of the stage before.
  const mapped = await resultsOf<MapDone>(store, known, 'map')
  if (index >= of) return NOTHING
  const objects = mapped.flatMap(({ seen }) => seen ?? [])
  const seen = await seenFile(
    folder,
    (await fetchBucket(order, objects, index, SEEN)).runs.reduce((_, { end }) => end, 0),
  )
  if (seen.bytes === 0) return NOTHING
  const made = await withHost(order, job, (host) => generateAll(host, job, [seen], { bucket: { index, of } }))
  const segments = made.flatMap((share) => share.segments)
  const own = made.filter(({ linksFile }) => linksFile.bytes > 0)
  const linkLines = own.map(({ linksFile }) => ({ path: join(folder, linksFile.file) }))
  return {
    runs: await writeRuns(files, folder, segments, tasks),
    linksFile: own.length > 0 ? await files.piece('links', bytesIn(linkLines)) : null,
    links: sum(made, ({ links }) => links),
    events: sum(segments, ({ events }) => events),
  }
}

/** The bucket as the work file of a piece has its checksum: each of its runs was held against one of its own. */
async function seenFile(folder: string, bytes: number): Promise<WrittenFile> {
  let crc = 0
  for await (const chunk of createReadStream(join(folder, SEEN)) as AsyncIterable<Buffer>)
    crc = crc32(chunk, crc)
  return { file: SEEN, offset: 0, bytes, crc }
}
