/** What checks/ opens to others. */
export { ArrivalAudit } from './arrival-audit.ts'
export type { Change } from './changes.ts'
export {
  type Check,
  type Inspected,
  type MigrationPlan,
  type MigrationSubject,
  planOf,
  type TargetAddress,
} from './check-data.ts'
export type { CellDifference } from './compare.ts'
export { eventIn } from './event-in.ts'
export { cellKey, type DayFrame, expectedDays, expectedFrames, nameInService } from './expected.ts'
export { fileInput } from './file-input.ts'
export {
  type CheckFinding,
  FINDING_LEVELS,
  type Finding,
  findingsOf,
  hasErrors,
  mayPass,
  type Problem,
} from './finding.ts'
export { findGaps } from './gaps.ts'
export {
  fitOf,
  GroupsSeen,
  hiddenIn,
  MAX_GROUP_TYPES,
  sentOf,
  type TypesFit,
  type TypeToSend,
} from './groups-seen.ts'
export { type InspectFrom, type Inspection, Inspector, inspect } from './inspect.ts'
export { JOINED_ID } from './joined-ids.ts'
export { Findings, MissingFile } from './missing-file.ts'
export {
  distinctIdsOf,
  type GroupReport,
  groupTypesOf,
  type KeptReport,
  mergeEvents,
  type PeopleReport,
  PeopleSample,
} from './people.ts'
export type { PeopleSeen } from './people-seen.ts'
export type { HistoryOptions } from './persons/history.ts'
export { KeepPersons, type KeepReport } from './persons/keep.ts'
export { chunksOf, MOST_QUESTIONS, type PersonService, propertiesOf } from './persons/live.ts'
export { type PersonsPlan, planPersons } from './persons/persons-plan.ts'
export type { SnapshotPlace, SnapshotTarget } from './persons/snapshot.ts'
export { preflight } from './preflight/preflight.ts'
export {
  type CapsAsked,
  type Input,
  type NamedPlace,
  type Room,
  type ServiceSubject,
  type Subject,
  systemTools,
} from './preflight/subject.ts'
export { problemsOf } from './problems.ts'
export {
  beyond,
  type DayThere,
  type HeldThere,
  leftOf,
  type OtherPlace,
  type ProjectAsked,
  type ProjectSide,
  type QuotaThere,
  stands,
} from './project-side.ts'
export { Proven } from './proven.ts'
export { type EventFiles, type FirstReject, readEvents } from './read-events.ts'
export type { ServiceEvents } from './service-view.ts'
export { hasOddSession } from './session-times.ts'
export { cutExample } from './spot.ts'
export { ofStorage, type StorageFound, StorageSeen } from './storage-seen.ts'
export { jsonEqual } from './stored-form.ts'
export { checkValues, sampleSizeOf, type ValueReport } from './value-check.ts'
export {
  type CellGap,
  countedTwice,
  type FoundWarning,
  gapOf,
  hiddenGroups,
  isProven,
  likelyCauses,
  type NamedEvent,
  type SentOtherwise,
  unreadableLines,
  type Verification,
  type WarningsFound,
} from './verification.ts'
export { datasetInput, type VerifyInput } from './verify-input.ts'
export {
  fitJson,
  fitTexts,
  HIDDEN_HINT,
  missingText,
  OTHERS_REMEDY,
  OVER_QUOTA,
  othersLines,
  overText,
  projectName,
  secondText,
  shortText,
  tooManyText,
  youngerText,
} from './words/of-service.ts'
export { findingOfEvents, findingsOfCheck, type SampleKind } from './words/problem-words.ts'
export { type Mending, mendingOf, remedyOf, whyLeftOut } from './words/rejects.ts'
export { causeText, warningLines, warningText } from './words/warnings.ts'
export { listed } from './words/wording.ts'
