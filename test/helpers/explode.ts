import { Exploder } from '../../src/mapping/explode.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { noMends } from '../../src/record/mend.ts'
import type { Refusal } from '../../src/record/rules.ts'

/** What a mapper is given of a record: the record, or a line for each of its children; and the reasons of the rest. */
export interface Cut {
  readonly lines: readonly string[]
  readonly refusals: readonly Refusal[]
}

/** Cuts a record as a transform does before it maps it. */
export function cutRecord(preset: Preset, record: string): Cut {
  if (!preset.explode) return { lines: [record], refusals: [] }
  const lines: string[] = []
  const refusals: Refusal[] = []
  const bytes = Buffer.from(record)
  const exploded = new Exploder(preset.explode, noMends()).explode(bytes, 0, bytes.length, {
    child: (line, start, end) => lines.push(line.toString('utf8', start, end)),
    refused: (_line, _start, _end, _number, refusal) => refusals.push(refusal),
  })
  if (exploded.status === 'whole') lines.push(record)
  if (exploded.status === 'rejected') refusals.push(exploded)
  return { lines, refusals }
}
