import { statSync } from 'node:fs'
import { ByteWriter } from '../record/writer.ts'
import { type GenerateOptions, generate } from './generate.ts'
import type { Seen } from './ledger.ts'
import type { Segment } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'
import { readSeen } from './seen-file.ts'

/** Bytes of observations resolved at once, which take about eight times as much as objects; more are read in passes. */
const PASS_BYTES = 8 * 1024 * 1024

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
    for (const file of files) await readSeen(file, pass, passes, seen)
    generate(seen, options, runs.lines, (instant, seq, kind) => runs.add(instant, seq, kind))
  }
  runs.flush()
  return runs.segments
}
