/** What transform/ opens to others. */
export type { EarlierDataset } from './after/earlier.ts'
export { columnsFor } from './columns-for.ts'
export { firstLook } from './first-look.ts'
export { FINISHED, FLEET, fleetStore, LISTED, PLAN, taskName } from './fleet/fleet-files.ts'
export { bucketsOf, packGroups, packUnits, unpackedBytes, usualTasks } from './fleet/pack.ts'
export {
  type FleetPlan,
  type FrozenJob,
  type FrozenPeople,
  frozen,
  gatheredTables,
  type KnownPlan,
  knownPlan,
  PLAN_FORMAT,
  readPlan,
  stagesOf,
  writePlan,
} from './fleet/plan-file.ts'
export type { TryRecord } from './fleet/tries.ts'
export { listedIds } from './forget/find-forgotten.ts'
export { groupUuid, identifyUuid } from './generate.ts'
export { HASH_KEY, hashKeyFrom } from './hash-key.ts'
export type { Job } from './job.ts'
export { loadMapping, takeMapping } from './load-mapping.ts'
export type { TransformRequest } from './make-job.ts'
export { otherCaseWords } from './other-case.ts'
export { assertInputsStay } from './output-apart.ts'
export { cutUnits, workersFor } from './plan.ts'
export { interruptedError, Pool } from './pool.ts'
export {
  type BegunJob,
  begin,
  datasetPlaces,
  isBegun,
  type Known,
  type Prepared,
  prepare,
  type WaitingForWork,
} from './prepare.ts'
export { type MadeLine, RecordMapping, type RecordReject } from './record-mapping.ts'
export { assertReplaceable } from './replaceable.ts'
export type { Transformed } from './result.ts'
export { BufferPool } from './run/buffer-pool.ts'
export { ENTRY_BYTES } from './run/frame.ts'
export type { Pair, Refused, Sample, SampleOrder } from './sample.ts'
export { DayCells } from './seal/cells.ts'
export { SeenEvents } from './seal/dedupe.ts'
export type { SpreadOver } from './spread-sample.ts'
export { leaveOutForgotten, sample, transformInputs } from './transform.ts'
export { presetMissing, unusable } from './wrong-input.ts'
