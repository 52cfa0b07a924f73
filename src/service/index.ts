/** What service/ opens to others. */
export { Api } from './api.ts'
export { arrivedCells } from './arrived.ts'
export { arrivedEvents } from './arrived-events.ts'
export { arrivedIds } from './arrived-ids.ts'
export { countGrouped, countGroups, countPeople, knownGroups, personsOf } from './arrived-people.ts'
export { arrivedPersons, arrivedValues } from './arrived-values.ts'
export { BATCH_PATH, BatchEndpoint } from './batch.ts'
export { CaptureV1Endpoint, V1_PATH } from './capture-v1.ts'
export { fileDeletion, findDeletion, isDeletionRefused, previewDeletion } from './deletion-requests.ts'
export { isHtmlPage, ServiceError } from './errors.ts'
export { type EventFilter, ofImports, sqlWhere, UTC_DAY } from './event-filter.ts'
export { hasNoEvent, hasUnreadable } from './events-by-day.ts'
export { type GroupEvents, groupEvents } from './group-events.ts'
export { groupPages, RepeatedPage } from './group-pages.ts'
export { type Group, Groups, type GroupTally, type GroupType, oneLine } from './groups.ts'
export type { OwnImport } from './import-marks.ts'
export { type IngestionWarning, ingestionWarnings, WARNINGS_KEPT_DAYS } from './ingestion-warnings.ts'
export { type Owner, ownerAmong, projectOwners, untold } from './key-owner.ts'
export { tryProjectKey } from './known-key.ts'
export { allDistinctIds, countDistinctIds, firstEvent, personSpans, storedPersons } from './live-persons.ts'
export { eventsUnder, placesOfOthers } from './other-imports.ts'
export type { Page, PageRow } from './page.ts'
export { chooseProject, listProjects, type Project } from './projects.ts'
export {
  countCell,
  dayCell,
  isQueryRefused,
  readRow,
  readRows,
  runQuery,
  sqlText,
  sqlUtc,
  timeCell,
} from './query.ts'
export { serviceQuestion } from './question.ts'
export { quotaLimits } from './quota-limits.ts'
