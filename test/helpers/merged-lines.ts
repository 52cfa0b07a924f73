import { ByteWriter } from '../../src/record/byte-writer.ts'
import type { LineKind, Segment } from '../../src/transform/run/frame.ts'
import { LineCopy, Merge } from '../../src/transform/run/merge.ts'

/** A line of a run, without its line end, and where it belongs. */
export interface MergedLine {
  readonly instant: number
  readonly seq: number
  readonly kind: LineKind
  readonly line: string
}

/** The lines of the segments, merged. */
export function mergedLines(folder: string, segments: readonly Segment[]): MergedLine[] {
  const out = new ByteWriter()
  const merge = new Merge(folder, segments)
  const copy = new LineCopy(folder, segments, merge, out)
  const places: Omit<MergedLine, 'line'>[] = []
  for (let at = merge.next(); at; at = merge.next()) {
    const { instant, seq, kind } = at
    places.push({ instant, seq, kind })
    copy.add(at)
  }
  copy.finish()
  const lines = out.bytes.toString('utf8', 0, out.length).split('\n')
  return places.map((place, i) => ({ ...place, line: lines[i]! }))
}
