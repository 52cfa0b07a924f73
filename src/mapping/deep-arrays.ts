import type { ByteWriter } from '../record/byte-writer.ts'
import type { Mends } from '../record/mend.ts'
import { deepAsText, mayBeDeep } from '../record/nested.ts'
import type { EventDraft } from './draft.ts'

/**
 * Makes text of arrays that are nested deeper than the service can query: in the event line that `out` ends with, which
 * begins at `from`, and in the states of groups, which become events of their own. Counts each.
 */
export function flattenArrays(
  out: ByteWriter,
  from: number,
  { groupStates }: EventDraft,
  mends: Mends,
): void {
  const count = () => mends.deep_array++
  const flat = mayBeDeep(out.bytes, from, out.length) && deepAsText(out.bytes, from, out.length, count)
  if (flat) {
    out.length = from
    out.copy(flat, 0, flat.length)
  }
  groupStates.forEach((state, index) => {
    const bytes = Buffer.from(state.json)
    const json = deepAsText(bytes, 0, bytes.length, count)?.toString()
    if (json !== undefined) groupStates[index] = { ...state, json }
  })
}
