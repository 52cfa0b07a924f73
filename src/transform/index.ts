/** What transform/ opens to others. */

export type { EarlierDataset } from './after/earlier.ts'
export { Forgotten } from './forget/id-set.ts'
export { groupUuid, identifyUuid } from './generate.ts'
export { HASH_KEY, hashKeyFrom } from './hash-key.ts'
export type { Job } from './job.ts'
export { loadMapping, takeMapping } from './load-mapping.ts'
export { columnsFor, type TransformRequest } from './make-job.ts'
export { assertReplaceable } from './output-apart.ts'
export { workersFor } from './plan.ts'
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
export { KINDS } from './run/frame.ts'
export type { Sample, SampleOrder, SpreadOver } from './sample.ts'
export { DayCells } from './seal/cells.ts'
export { SeenEvents } from './seal/dedupe.ts'
export { leaveOutForgotten, sample, transformInputs } from './transform.ts'
export type { Transformed } from './transform-tally.ts'
export { firstLook, otherCaseWords, presetMissing, unusable } from './wrong-input.ts'
