import { statSync } from 'node:fs'
import { ByteWriter } from '../record/byte-writer.ts'
import { MIB } from '../units.ts'
import { type GenerateOptions, Resolver } from './generate.ts'
import { readSeen } from './observation-file.ts'
import type { Segment } from './run/frame.ts'
import { RunWriter } from './run/writer.ts'

/** Bytes of observations resolved at once, which take about ten times as much as objects. */
const SHARE_BYTES = MIB
/** Where there is more than one share there are so many at least, for workers to take side by side. */
const FEW = 4

/** Into how many shares the observations in `files` fall; a function of the files alone. */
export function sharesOf(files: readonly string[]): number {
  const total = files.reduce((sum, file) => sum + statSync(file).size, 0)
  return Math.max(total < SHARE_BYTES ? 1 : FEW, Math.ceil(total / SHARE_BYTES))
}

/** Resolves one share of the observations in `files` into generated events, as a run in `folder` like those of the units. */
export function generateShare(
  files: readonly string[],
  share: number,
  shares: number,
  folder: string,
  options: GenerateOptions,
): readonly Segment[] {
  const runs = new RunWriter(folder, `generated-${share}`, new ByteWriter())
  const resolver = new Resolver()
  for (const file of files) readSeen(file, share, shares, (one) => resolver.see(one))
  resolver.write(options, runs.lines, (instant, seq, kind) => runs.add(instant, seq, kind))
  runs.flush()
  return runs.segments
}
