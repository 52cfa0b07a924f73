/** What jobs/ opens to others. */
export { chooseType, openApi, withApi, withGroups } from './api-session.ts'
export { APPROVAL_TODAY } from './check/check-json.ts'
export { CHECK_ROWS, type CheckOptions, checkOrder } from './check/order.ts'
export { type Checked, runCheck } from './check/run.ts'
export { addDatasetArgument, addDatasetArguments, DATASET_OPTION, datasetsOf } from './dataset-argument.ts'
export { DEMO_ROWS, demo } from './demo/run.ts'
export { DOCTOR_ROWS, type DoctorValues } from './doctor/order.ts'
export { foundJson, runDoctor } from './doctor/run.ts'
export { EXPLAIN_ROWS, type ExplainValues } from './explain/order.ts'
export type { Looked } from './explain/run.ts'
export type { ExportSaid } from './export/export-json.ts'
export { type ExportAnswer, runVendorExport } from './export/run.ts'
export { EXPORT_ROWS, exportGroups, type GroupsExportOptions } from './groups/run.ts'
export { type ImportSaid, verifyWords } from './import/import-json.ts'
export { openSource } from './import/import-source.ts'
export { IMPORT_ROWS, type ImportOrder, importOrder } from './import/order.ts'
export type { ImportPlan } from './import/plan-import.ts'
export { type ImportEnd, runImport } from './import/run.ts'
export { openState, type StatePlace } from './import-state/state-place.ts'
export { INIT_ROWS, type InitValues } from './init/order.ts'
export { type InitSaid, initMapping } from './init/run.ts'
export { PRESET_TEST_ROWS, type PresetTestValues } from './preset/order.ts'
export { PROMISES } from './preset/promises.ts'
export type { TransformBy } from './preset/walks.ts'
export { renderError } from './render-error.ts'
export { REPORT_ROWS, type ReportOptions } from './report/order.ts'
export type {
  ApprovalPart,
  DatasetPart,
  DaysPart,
  FillPart,
  FillRow,
  ImportPart,
  LeftOutPart,
  PacePart,
  PeoplePart,
  ProofCell,
  ProofPart,
  ProofState,
  RejectReason,
  RejectsPart,
  ReportCommand,
  ReportData,
  ReportVerdict,
  TargetPart,
  TopCounts,
} from './report/report-data.ts'
export { runReport } from './report/run.ts'
export type {
  CheckResult,
  DoctorResult,
  ExportResult,
  GroupsExportResult,
  ImportResult,
  InitResult,
  PresetTestResult,
  ReportResult,
  RunResult,
  SandboxResult,
  StatusResult,
  StudioResult,
  TestResult,
  TransformResult,
  UndoResult,
  VerifyResult,
} from './results.ts'
export { initMigration } from './run/init.ts'
export { RUN_ROWS, type RunValues } from './run/order.ts'
export { runMigration } from './run/run.ts'
export { type RunSubject, runJson, type StagePlan } from './run/run-json.ts'
export type { RunStageName, StageCall, StageEnd } from './run/stages.ts'
export { SANDBOX_ROWS, type SandboxValues, sandboxOptions } from './sandbox/order.ts'
export { assertTogether, notStarted, placesFrom, STATUS_ROWS, type StatusValues } from './status/order.ts'
export type { StatusSaid } from './status/status-json.ts'
export { type Look, StatusLook } from './status/status-look.ts'
export { firstState, openBench, STUDIO_ROWS, type StudioValues } from './studio/order.ts'
export { TEST_ROWS, type TestValues } from './test/order.ts'
export { TRANSFORM_ROWS, type TransformValues } from './transform/order.ts'
export { answerOf, runTransform } from './transform/run.ts'
export type { TransformSaid } from './transform/transform-json.ts'
export { undoOrder } from './undo/order.ts'
export { requestWords, undoneWords } from './undo/undo-words.ts'
export { runVerify, VERIFY_ROWS } from './verify/run.ts'
export { openInputs } from './verify/verify-inputs.ts'
export { verifyJson } from './verify/verify-json.ts'
export { verifyInputs } from './verify/verify-run.ts'
