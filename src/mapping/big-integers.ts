import { members } from '../record/cut.ts'
import { keyOf, keys } from '../record/keys.ts'
import { holdsBigInteger } from '../record/mend.ts'
import type { EventDraft } from './draft.ts'

const GROUP_SET = keyOf('$group_set')

/** Counts the properties of an event, of its person and of its group that hold a number which the service rounds. */
export function countBigIntegers(draft: EventDraft, tally: Record<string, number>): void {
  const count = (name: string, value: Buffer, start: number, end: number) => {
    if (holdsBigInteger(value, start, end)) tally[name] = (tally[name] ?? 0) + 1
  }
  for (const part of [draft.properties, draft.toSet, draft.toSetOnce]) {
    part.visit((key, value, start, end) => {
      if (key !== GROUP_SET) return count(keys.text(key), value, start, end)
      // The user knows the group's properties by their own names.
      for (const [name, json] of members(value.toString('utf8', start, end))) {
        const bytes = Buffer.from(json)
        count(name, bytes, 0, bytes.length)
      }
    })
  }
}
