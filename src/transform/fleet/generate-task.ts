import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import pLimit from 'p-limit'
import { presetOf } from '../../pipeline/preset-of.ts'
import { MIB } from '../../text/units.ts'
import { VERSION } from '../../version.ts'
import { carryLinks } from '../after/carry.ts'
import { gatherSeen } from '../gather.ts'
import { generateShare } from '../generate.ts'
import type { Segment } from '../run/frame.ts'
import type { WrittenFile } from '../work-file.ts'
import type { FleetPiece } from './done-file.ts'
import { taskName } from './fleet-files.ts'
import type { MapDone } from './map-task.ts'
import { bucketsOf } from './pack.ts'
import type { TaskOrder } from './piece-order.ts'
import { fetchPieces } from './pieces.ts'
import { type RunObject, writeRuns } from './run-objects.ts'
import { bucketOf } from './seen-object.ts'
import { resultsOf } from './stage-results.ts'

/** Bytes of observations resolved at once; as objects they take about ten times as much. */
const SHARE_BYTES = MIB
/** How many indexes are read at once. */
const AT_ONCE = 16
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
  const { known, index, store, folder, job, stop } = order
  const { tasks } = known.plan
  const buckets = bucketsOf(tasks)
  // Also where there is nothing to do, this task ends after all of the stage before.
  const mapped = await resultsOf<MapDone>(store, known, 'map')
  if (index >= buckets) return NOTHING
  const files = await fetchBucket(order, mapped, index)
  if (files.length === 0) return NOTHING
  const carried = job.after.some(({ links }) => links) ? [await carryLinks(job.after, files, folder)] : []
  const all = [...carried, ...files]
  const { vendor } = await presetOf(job)
  const { groupEventName, importId, mapping } = job
  const options = { vendor, version: VERSION, groupEventName, importId, set: mapping.properties.set }
  // A bucket is a share, and a part of a share is a share of more of them: see shareAt in observation-file.ts.
  const parts = Math.ceil(all.reduce((sum, { bytes }) => sum + bytes, 0) / SHARE_BYTES)
  const range = { first: index * parts, count: parts, of: buckets * parts }
  const gathered = gatherSeen(folder, 'seen', all, range)
  const segments: Segment[] = []
  const linkFiles: WrittenFile[] = []
  let links = 0
  for (let part = 0; part < parts; part++) {
    stop.throwIfAborted()
    const made = generateShare(gathered, part, parts, folder, options)
    segments.push(...made.segments)
    linkFiles.push(made.linksFile)
    links += made.links
  }
  const name = taskName('generate', index)
  return {
    runs: await writeRuns(store, name, folder, segments, tasks),
    linksFile: await writeLinkLines(order, `${name}/links`, linkFiles),
    links,
    events: segments.reduce((sum, { events }) => sum + events, 0),
  }
}

/** Copies the bucket of all map tasks into one file of this machine; none where all are empty. */
async function fetchBucket(
  { store, folder, progress }: TaskOrder,
  mapped: readonly MapDone[],
  bucket: number,
): Promise<WrittenFile[]> {
  const limit = pLimit(AT_ONCE)
  const objects = mapped.flatMap(({ seen }) => seen ?? [])
  const all = await Promise.all(objects.map((object) => limit(() => bucketOf(store, object, bucket))))
  const pieces = all.filter(({ bytes }) => bytes > 0)
  if (pieces.length === 0) return []
  const starts = await fetchPieces(store, pieces, folder, SEEN, progress)
  const bytes = starts.at(-1)! + pieces.at(-1)!.bytes
  let crc = 0
  for await (const chunk of createReadStream(join(folder, SEEN)) as AsyncIterable<Buffer>)
    crc = crc32(chunk, crc)
  return [{ file: SEEN, offset: 0, bytes, crc }]
}

async function writeLinkLines(
  { store, folder }: TaskOrder,
  file: string,
  parts: readonly WrittenFile[],
): Promise<FleetPiece | null> {
  const sum = { bytes: 0, crc: 0 }
  async function* chunks(): AsyncGenerator<Buffer> {
    for (const part of parts) {
      for await (const chunk of createReadStream(join(folder, part.file)) as AsyncIterable<Buffer>) {
        sum.bytes += chunk.length
        sum.crc = crc32(chunk, sum.crc)
        yield chunk
      }
    }
  }
  if (parts.every(({ bytes }) => bytes === 0)) return null
  await store.put(file, chunks())
  return { file, offset: 0, ...sum }
}
