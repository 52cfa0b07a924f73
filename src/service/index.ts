/** What service/ opens to others. */
export { Api } from './api.ts'
export { arrivedCells, arrivedIds } from './arrived.ts'
export { arrivedEvents, arrivedPersons, arrivedValues } from './arrived-events.ts'
export { countGrouped, countGroups, countPeople, knownGroups, personsOf } from './arrived-people.ts'
export { fileDeletion, findDeletion, isDeletionRefused, previewDeletion } from './deletion-requests.ts'
export { isHtmlPage, ServiceError } from './errors.ts'
export type { OwnImport } from './event-filter.ts'
export {
  type EventFilter,
  eventsUnder,
  ofImports,
  placesOfOthers,
  sqlWhere,
  UTC_DAY,
} from './event-filter.ts'
export { countMarked, hasNoEvent, hasUnreadable } from './events-by-day.ts'
export {
  type Group,
  type GroupEvents,
  Groups,
  type GroupTally,
  type GroupType,
  groupEvents,
  groupPages,
  oneLine,
  RepeatedPage,
} from './groups.ts'
export { type IngestionWarning, ingestionWarnings, WARNINGS_KEPT_DAYS } from './ingestion-warnings.ts'
export {
  chooseProject,
  listProjects,
  type Owner,
  ownerAmong,
  type Project,
  projectOwners,
  untold,
} from './key-owner.ts'
export { allDistinctIds, countDistinctIds, firstEvent, personSpans, storedPersons } from './live-persons.ts'
export type { Page, PageRow } from './next-page.ts'
export {
  askRow,
  askRows,
  countCell,
  dayCell,
  isQueryRefused,
  runQuery,
  sqlText,
  sqlUtc,
  timeCell,
} from './query.ts'
export { serviceQuestion } from './question.ts'
export { quotaLimits } from './quota-limits.ts'
export { BATCH_PATH, BatchEndpoint, CaptureV1Endpoint, tryProjectKey, V1_PATH } from './send-events.ts'
