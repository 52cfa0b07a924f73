/** What transform/ opens to others. */

export type { EarlierDataset } from './after/earlier.ts'
export { bucketsOf, packGroups, packUnits, unpackedBytes, usualTasks } from './fleet/pack.ts'
export {
  FINISHED,
  FLEET,
  type FleetPlan,
  type FrozenJob,
  type FrozenPeople,
  fleetStore,
  frozen,
  gatheredTables,
  type KnownPlan,
  knownPlan,
  LISTED,
  PLAN,
  PLAN_FORMAT,
  readPlan,
  stagesOf,
  taskName,
  writePlan,
} from './fleet/plan-file.ts'
export type { TryRecord } from './fleet/tries.ts'
export { listedIds } from './forget/find-forgotten.ts'
export { Forgotten } from './forget/id-set.ts'
export { groupUuid, identifyUuid } from './generate.ts'
export { HASH_KEY, hashKeyFrom } from './hash-key.ts'
export type { Job } from './job.ts'
export { loadMapping, takeMapping } from './load-mapping.ts'
export { columnsFor, type TransformRequest } from './make-job.ts'
export { assertInputsStay, assertReplaceable } from './output-apart.ts'
export { cutUnits, workersFor } from './plan.ts'
export { interruptedError, Pool } from './pool.ts'
export {
  type BegunJob,
  begin,
  isBegun,
  type Known,
  type Prepared,
  prepare,
  type WaitingForWork,
} from './prepare.ts'
export type { Preview } from './preview.ts'
export { type MadeLine, RecordMapping, type RecordReject } from './record-mapping.ts'
export { repeatedIds } from './repeats.ts'
export { BufferPool } from './run/buffer-pool.ts'
export { ENTRY_BYTES, KINDS } from './run/frame.ts'
export type { Sample, SampleOrder, SpreadOver } from './sample.ts'
export { DayCells } from './seal/cells.ts'
export { SeenEvents } from './seal/dedupe.ts'
export { leaveOutForgotten, sample, transformInputs } from './transform.ts'
export type { Transformed } from './transform-tally.ts'
export { firstLook, otherCaseWords, presetMissing, unusable } from './wrong-input.ts'
