export type { Turn } from './account.ts'
/** What delivery/ opens to others. */
export { ArrivalWatch, meterOf } from './arrival-watch.ts'
export { Batcher, type BatchLimits } from './batcher.ts'
export type { CheckpointState } from './checkpoint.ts'
export { idOf, isCheckpoint, stillThere, takenFrom } from './checkpoint.ts'
export { DatasetSource } from './dataset-source.ts'
export { laneOf } from './distinct-id.ts'
export { DRY_ENVELOPE, dryRun, type Plan } from './dry-run.ts'
export { FileSource } from './file-source.ts'
export { FilesSource } from './files-source.ts'
export { ImportRun } from './import-run.ts'
export { type ImportState, OWN_LOG } from './import-state.ts'
export type { InputSource } from './intake.ts'
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
export { MIXED_DAYS, MIXED_DAYS_TEXT } from './notices.ts'
export type { DeliveryOutcome } from './outcome.ts'
export type { OwnSaved, OwnWork } from './own-events.ts'
export { type BusyIds, type ForecastPace, OPEN_PER_ID, PaceForecast } from './pace-forecast.ts'
export { allPace, lastPace, type PaceFile, type PaceLine, PaceLog } from './pace-log.ts'
export {
  burstOf,
  CAP_ROWS,
  capsOf,
  leastPerMinute,
  OPEN_EVENTS,
  OPEN_PER_MINUTE,
  perIdOf,
  ratePerSecond,
  YOUNG_HOURS,
  youngSince,
} from './pacer.ts'
export { earliest, type Place, START } from './place.ts'
export { noRemarks, type Remarks, type Sent, VIA_WORDS, VIAS } from './route.ts'
export { compareSent, keepSent, readSent, type SentDifference } from './sent-record.ts'
export { PERSONLESS } from './verdict.ts'
