import type { AskedProject } from '../service/api.ts'
import { type ArrivedCell, type ArrivedId, arrivedCells, arrivedIds } from '../service/arrived.ts'
import { arrivedValues } from '../service/arrived-events.ts'
import type { EventFilter } from '../service/event-filter.ts'
import { hasNoEvent, hasUnreadable } from '../service/events-by-day.ts'
import type { AskedWindow } from './expected.ts'

export type ServiceEvents = ReturnType<typeof serviceEvents>

/** The events of a project, as an audit asks for them. */
export function serviceEvents(project: AskedProject) {
  return {
    /** `unreadable`: with the events whose properties are one text that has the id, which costs more. */
    cells: ({ first, last, whole, importIds }: AskedWindow, unreadable = false): AsyncIterable<ArrivedCell> =>
      arrivedCells(project, { filter: { first, last, importIds, unreadable }, whole }),
    hasUnreadable: (first: string, last: string) => hasUnreadable(project, first, last),
    hasName: async (name: string) => !(await hasNoEvent(project, name)),
    ids: (filter: EventFilter): AsyncIterable<readonly ArrivedId[]> => arrivedIds(project, filter),
    events: (first: string, last: string, uuids: readonly string[]) =>
      arrivedValues(project, { first, last, importIds: null }, uuids),
  }
}
