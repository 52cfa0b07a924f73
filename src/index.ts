export { type ErrorCode, type Fate, PosthaulError } from './errors.ts'
export type { CallOptions, ServiceOptions } from './host.ts'
export {
  type CheckOptions,
  check,
  type ReportOptions,
  report,
  type TransformDatasetOptions,
  transformDataset,
  type UndoOptions,
  undo,
  type VerifyOptions,
  type VerifySource,
  verify,
} from './library/answers.ts'
export {
  type HistoricalEvent,
  type HistoricalGroup,
  type HistoricalPerson,
  type Instant,
  type Properties,
  uuidOf,
} from './library/client-events.ts'
export {
  type Abortable,
  HistoricalClient,
  type HistoricalClientOptions,
} from './library/historical-client.ts'
export {
  type DeliveryOptions,
  type ImportOptions,
  type ImportOutcome,
  type ImportSource,
  ImportStopped,
  importEvents,
} from './library/import-events.ts'
export type { Rejects } from './library/rejects.ts'
export {
  type SourceRecord,
  type Transformation,
  type TransformedEvent,
  type TransformOptions,
  transform,
} from './library/transform.ts'
export { definePreset, type OwnPreset } from './mapping/own-preset.ts'
export {
  type Draft,
  Filtered,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from './mapping/preset.ts'
export type { Counts } from './record/counts.ts'
export type { Notes } from './record/notes.ts'
export type { Reject } from './record/reject.ts'
export { KIND, type Kind } from './record/tape.ts'
export { parseTime } from './record/time.ts'
export type { RecordReject } from './transform/record-mapping.ts'
export { VERSION } from './version.ts'
