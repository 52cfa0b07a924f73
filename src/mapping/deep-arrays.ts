import type { ByteWriter } from '../record/byte-writer.ts'
import type { Mends } from '../record/mend.ts'
import { deepAsText, mayBeDeep } from '../record/nested.ts'
import type { EventDraft } from './draft.ts'

/**
 * Makes text of arrays that are nested deeper than the service can query: in an event line, and in the states of groups,
 * which become events of their own. Counts each.
 */
export function flattenArrays(line: ByteWriter, { groupStates }: EventDraft, mends: Mends): void {
  const count = () => mends.deep_array++
  const flat = mayBeDeep(line.bytes, 0, line.length) && deepAsText(line.bytes, 0, line.length, count)
  if (flat) {
    line.length = 0
    line.copy(flat, 0, flat.length)
  }
  groupStates.forEach((state, index) => {
    const bytes = Buffer.from(state.json)
    const json = deepAsText(bytes, 0, bytes.length, count)?.toString()
    if (json !== undefined) groupStates[index] = { ...state, json }
  })
}
