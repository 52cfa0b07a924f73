import { rowLines } from '../../jobs/summary.ts'
import { continueCommand, fold, number, pathWord, plural, REMARK, visible } from '../../text/index.ts'
import type { Transformed } from '../../transform/index.ts'

/** Of a division into equal parts: so many times its share makes one dataset the last to be imported by far. */
const UNEVEN = 1.5

/** The datasets of a division by people, and how they are imported. */
export function splitLines(split: NonNullable<Transformed['split']>): string[] {
  const [first] = split
  if (!first) return []
  const total = split.reduce((sum, { events }) => sum + events, 0)
  const most = Math.max(...split.map(({ events }) => events))
  const rows = split.map(({ out, events, days }, index) => {
    const name = `people-${String(index + 1).padStart(2, '0')}`
    return { name, count: events, remark: `events in ${plural(days, 'day')}: ${visible(out)}` }
  })
  const isUneven = most > (UNEVEN * total) / split.length
  const uneven = `one dataset has ${number(most)} of ${plural(total, 'event')}: people whose ids or groups are linked stay together`
  const argv = ['import', '--dataset', pathWord(first.out), '--share-cap', String(split.length)]
  return [
    ...rowLines(rows),
    ...(isUneven ? fold(uneven, REMARK, '  warning   ') : []),
    `  next: check each of them; then, side by side: ${continueCommand(argv)}`,
  ]
}
