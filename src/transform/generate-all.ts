import { createReadStream, statSync } from 'node:fs'
import { hashBytes } from '../record/bytes.ts'
import { LineFramer } from '../record/lines.ts'
import { ByteWriter } from '../record/writer.ts'
import { type GenerateOptions, generate } from './generate.ts'
import type { Seen } from './ledger.ts'
import type { Segment } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'

/** Bytes of observations resolved at once; more are read in passes over the ids they speak of. */
const PASS_BYTES = 24 * 1024 * 1024

/** Resolves the observations in `files` into generated events, as a run in `folder` like those of the units. */
export async function generateAll(
  files: readonly string[],
  folder: string,
  options: GenerateOptions,
): Promise<readonly Segment[]> {
  const total = files.reduce((sum, file) => sum + statSync(file).size, 0)
  const passes = Math.max(1, Math.ceil(total / PASS_BYTES))
  const runs = new RunWriter(folder, 'generated', new ByteWriter())
  for (let pass = 0; pass < passes; pass++) {
    const seen: Seen[] = []
    for (const file of files) await readSeen(file, seen, (id) => inPass(id, passes) === pass)
    generate(seen, options, runs.lines, (instant, seq, kind) => runs.add(instant, seq, kind))
  }
  runs.flush()
  return runs.segments
}

function inPass(id: string, passes: number): number {
  const bytes = Buffer.from(id)
  return (hashBytes(bytes, 0, bytes.length) >>> 0) % passes
}

async function readSeen(file: string, into: Seen[], wanted: (id: string) => boolean): Promise<void> {
  const framer = new LineFramer({
    line(bytes, start, end) {
      const one = JSON.parse(bytes.toString('utf8', start, end)) as Seen
      if (wanted(one.kind === 'link' ? one.anonymous : `${one.type}\n${one.key}`)) into.push(one)
    },
    tooLong() {
      throw new Error(`an observation in ${file} is longer than a record can be`)
    },
  })
  for await (const chunk of createReadStream(file, { highWaterMark: 1 << 20 })) framer.push(chunk as Buffer)
  framer.end()
}
