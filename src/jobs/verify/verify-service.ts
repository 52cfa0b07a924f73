import type { ServiceEvents } from '../../checks/index.ts'
import {
  type Api,
  arrivedCells,
  arrivedIds,
  arrivedPersons,
  arrivedValues,
  hasNoEvent,
  hasUnreadable,
} from '../../service/index.ts'

/** The events of a project, as an audit asks for them. */
export function serviceEvents(api: Api, projectId: string): ServiceEvents {
  return {
    cells: ({ first, last, whole, importIds }, unreadable = false) =>
      arrivedCells(api, projectId, { filter: { first, last, importIds, unreadable }, whole }),
    hasUnreadable: (first, last) => hasUnreadable(api, projectId, first, last),
    hasName: async (name) => !(await hasNoEvent(api, projectId, name)),
    ids: ({ day, importIds, unreadable, names, share }) =>
      arrivedIds(api, projectId, {
        first: day,
        last: day,
        importIds,
        unreadable,
        share,
        ...(names !== undefined && { names }),
      }),
    events: (first, last, uuids) => arrivedValues(api, projectId, { first, last, importIds: null }, uuids),
    persons: (first, last, uuids) => arrivedPersons(api, projectId, { first, last, importIds: null }, uuids),
  }
}
