import type { Api } from '../service/api.ts'
import { type ArrivedCell, type ArrivedId, arrivedCells, arrivedIds } from '../service/arrived.ts'
import { type ArrivedValues, arrivedValues } from '../service/arrived-events.ts'
import type { EventFilter } from '../service/event-filter.ts'
import { hasNoEvent, hasUnreadable } from '../service/events-by-day.ts'
import type { AskedWindow } from './expected.ts'

/** What an audit asks the service. */
export interface ServiceEvents {
  /** `unreadable`: with the events whose properties are one text that has the id, which costs more. */
  cells(window: AskedWindow, unreadable?: boolean): AsyncIterable<ArrivedCell>
  /** True if it keeps all properties of some events of these days as one text. */
  hasUnreadable(first: string, last: string): Promise<boolean>
  hasName(name: string): Promise<boolean>
  /** The ids of the events of one day, each once. */
  ids(filter: EventFilter): AsyncIterable<readonly ArrivedId[]>
  /** All events of these days with these uuids; copies that are not merged yet are there several times. */
  events(first: string, last: string, uuids: readonly string[]): Promise<readonly ArrivedValues[]>
}

/** The events of a project, as an audit asks for them. */
export function serviceEvents(api: Api, projectId: string): ServiceEvents {
  return {
    cells: ({ first, last, whole, importIds }, unreadable = false) =>
      arrivedCells(api, projectId, { filter: { first, last, importIds, unreadable }, whole }),
    hasUnreadable: (first, last) => hasUnreadable(api, projectId, first, last),
    hasName: async (name) => !(await hasNoEvent(api, projectId, name)),
    ids: (filter) => arrivedIds(api, projectId, filter),
    events: (first, last, uuids) => arrivedValues(api, projectId, { first, last, importIds: null }, uuids),
  }
}
