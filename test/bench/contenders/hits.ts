import { openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { threadId } from 'node:worker_threads'

/*
 * Counts, in the build whose modules are in the folder BENCH_DIST, the records whose shape a mapper remembered. To be loaded with `node --import`, which
 * workers inherit. Each thread writes two numbers into a file of the folder BENCH_HITS, all records and those. It does so
 * now and then, since workers are ended from outside.
 */
const EVERY = 256

const { ShapeMemory } = await import(
  pathToFileURL(join(process.env.BENCH_DIST!, 'mapping/shape-memory.js')).href
)
const { repeat } = ShapeMemory.prototype
const counts = new Uint32Array(2)
let file: number | undefined

ShapeMemory.prototype.repeat = function (bytes: Buffer): boolean {
  const isKnown: boolean = repeat.call(this, bytes)
  if (isKnown) counts[1]!++
  if (++counts[0]! % EVERY === 0) {
    file ??= openSync(join(process.env.BENCH_HITS!, String(threadId)), 'w')
    writeSync(file, counts, 0, counts.byteLength, 0)
  }
  return isKnown
}
