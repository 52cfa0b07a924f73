import { CUT_OTHERS, MERGE_RULE } from '../../record/merging.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { type HeldThere, othersOf, type ProjectSide } from '../project-side.ts'

export const OTHERS_REMEDY = `${CUT_OTHERS}; or send all of them beside what is there: --accept-others`

/** What the project holds of an input's days that an import would set its events beside, a sentence a line. */
export function othersLines(side: Pick<ProjectSide, 'days' | 'held'>): string[] {
  const { days, held } = side
  if (!held) return []
  const others = othersOf(side)
  const on = days.filter((day) => day.others > 0).length
  const places = held.places.map(({ day, event, count }) => `${day} ${visible(event)} (${number(count)})`)
  const neither = days.reduce((sum, day) => sum + day.events - day.own - day.others, 0)
  return [
    ...(others > 0
      ? [
          `${plural(others, 'event')} of another import${markOf(held)} ${others === 1 ? 'is' : 'are'} there on ${plural(on, 'day')}: most of ${places.join(', ')}`,
        ]
      : []),
    ...meetingLines(held),
    ...(neither > 0
      ? [
          `besides, ${plural(neither, 'event')} of these days ${neither === 1 ? 'is' : 'are'} live ones, or of other windows of this history`,
        ]
      : []),
  ]
}

function markOf({ places }: HeldThere): string {
  const [first] = places
  if (!first) return ''
  const names = [first.source, first.importId].filter((name) => name !== '').map(visible)
  return ` (${names.join(', ')})`
}

/** Whether they would merge, by those events of the input that were looked for. */
function meetingLines({ asked, merges, moved, apart }: HeldThere): string[] {
  const of = `of ${plural(asked, 'event')} looked for by uuid`
  const counts = [
    ...(merges > 0 ? [`${number(merges)} would merge with what is there`] : []),
    ...(moved > 0 ? [`${number(moved)} would be there twice, because their times differ`] : []),
    ...(apart > 0 ? [`${number(apart)} would be there twice, under another name or person`] : []),
  ]
  if (counts.length === 0) {
    return [`${of} none is there: if these are the same facts, they would be there twice`]
  }
  return [`${of}, ${counts.join(', ')}`, ...(moved > 0 ? [MERGE_RULE] : [])]
}
