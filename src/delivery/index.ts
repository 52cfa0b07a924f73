/** What delivery/ opens to others. */
export { ArrivalWatch } from './arrival-watch.ts'
export { Batcher, type BatchLimits } from './batcher.ts'
export { OPEN_EVENTS, OPEN_PER_MINUTE, YOUNG_HOURS, youngSince } from './caps.ts'
export { idOf, stillThere, takenFrom } from './checkpoint.ts'
export { isCheckpoint } from './checkpoint-files.ts'
export type { CheckpointState } from './checkpoint-shape.ts'
export { DatasetSource } from './dataset-source.ts'
export { DRY_ENVELOPE, dryRun, type Plan } from './dry-run.ts'
export type { InputSource } from './event-source.ts'
export { FileSource } from './file-source.ts'
export { FilesSource } from './files-source.ts'
export { LEAST_PER_ID } from './id-pacer.ts'
export { ImportRun } from './import-run.ts'
export { type ImportState, OWN_LOG } from './import-state.ts'
export { laneOf } from './lane.ts'
export {
  deliveredSum,
  isSameProject,
  Ledger,
  type LedgerTarget,
  ledgerName,
  ledgerSum,
  withEntry,
} from './ledger.ts'
export { EventLineReader, FileLineReader, type LineReader } from './line-reader.ts'
export { meterOf } from './meter.ts'
export { MIXED_DAYS, MIXED_DAYS_TEXT, sharedWords } from './notices.ts'
export type { DeliveryOutcome } from './outcome.ts'
export type { OwnSaved, OwnWork } from './own-events.ts'
export { type BusyIds, type ForecastPace, OPEN_PER_ID, PaceForecast } from './pace-forecast.ts'
export { allPace, lastPace, type PaceFile, type PaceLine } from './pace-line.ts'
export { PaceLog } from './pace-log.ts'
export { burstOf, leastPerMinute, ratePerSecond } from './pacer.ts'
export { earliest, type Place, START } from './place.ts'
export { noRemarks, type Remarks } from './remarks.ts'
export { type Sent, VIA_WORDS, VIAS, type Via } from './route.ts'
export { compareSent, type SentDifference } from './sent-difference.ts'
export { keepSent, readSent } from './sent-record.ts'
export { assertPeopleApart, type SharedPeople, type Sharing, sharedPeople } from './sharing.ts'
export type { Turn } from './turn.ts'
export { PERSONLESS } from './verdict-v1.ts'
