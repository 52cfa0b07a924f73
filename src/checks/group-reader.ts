import type { Head } from '../record/head.ts'
import { dayText } from '../record/time.ts'
import { MICROS_PER_DAY } from '../text/units.ts'
import type { CellDifference } from './compare.ts'
import type { DifferenceGroup } from './difference-groups.ts'
import { EventKey } from './event-set.ts'
import { nameInService } from './expected.ts'
import type { VerifyInput } from './verify-input.ts'

/** Called with each event of the group's cells. `key` is overwritten by the next one. */
export type EachOfGroup = (cell: CellDifference, key: EventKey, line: Buffer) => void

/** Is called while a group is read. */
interface GroupReader {
  readonly each: EachOfGroup
  /** Awaited now and then. */
  between(): Promise<void>
}

/** Reads the events of one share of a group's cells from all inputs that have some of its days. */
export async function readGroup(
  inputs: readonly VerifyInput[],
  group: DifferenceGroup,
  share: number,
  { each, between }: GroupReader,
): Promise<void> {
  const key = new EventKey()
  const look = (line: Buffer, head: Head) => {
    const day = headDay(head)
    const name = headName(line, head)
    const cell = group.find(day, name)
    if (!cell) return
    key.ofLine(line, head, dayAndName(day, name))
    if (key.share(group.shares) === share) each(cell, key, line)
  }
  for (const input of inputs) {
    if ([...group.days].some((day) => input.sums.days.has(day))) await input.read(group.days, look, between)
  }
}

/** The UTC day of an event line. */
export function headDay({ instant }: Head): string {
  return dayText(Math.floor(instant / MICROS_PER_DAY))
}

/** The name of an event line. */
export function headName(line: Buffer, { eventStart, eventEnd }: Head): string {
  return JSON.parse(line.toString('utf8', eventStart, eventEnd)) as string
}

/** Tells events of a group's days apart, together with uuid and distinct id. */
export function dayAndName(day: string, name: string): string {
  return `${day} ${nameInService(name)}`
}
