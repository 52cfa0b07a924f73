/** What store/ opens to others. */

export { type ArrivalCell, cellSchema, LinesPiece, readArrival, writeArrival } from './arrival.ts'
export { cellOf, fingerprintOf, MOST_CELLS_A_DAY } from './arrival-cell.ts'
export {
  assertParts,
  assertPlaceFor,
  datasetWords,
  findManifest,
  lookAtParts,
  occupied,
  type PartsSeen,
  readEventsManifest,
  readManifest,
  unnamedIn,
  writeManifest,
} from './dataset.ts'
export { errnoOf, fileError, inMidRun } from './file-error.ts'
export { GzipFault, gunzip, gunzipHead, isGzip } from './gunzip.ts'
export { type Holder, holderHere, holderSchema, holderWords, lifeOf, whoOf } from './holder.ts'
export { homeOf } from './home.ts'
export { LocalStore, loadFile, publishIf, removeIf, versionOf } from './local.ts'
export {
  countShape,
  day,
  type EventPart,
  type EventsManifest,
  type Manifest,
  parseManifest,
  type RawManifest,
  tallyShape,
} from './manifest.ts'
export {
  ARRIVAL,
  byPartOrder,
  COUNTS_SUFFIX,
  EXPORT_STATE,
  isStoreName,
  MANIFEST,
  MEND_PART,
  parsePartName,
  partName,
  REJECTS,
  REMAKE,
} from './name.ts'
export { openStore } from './open.ts'
export {
  FILE_MODE,
  isTemporaryName,
  makeFolder,
  openOwn,
  replaceFile,
  syncFolder,
  TEMPORARY,
  temporaryBeside,
  writeFileAtomic,
} from './own-file.ts'
export { assertHome, assertNoLink, isOwn, scratchFolder } from './ownership.ts'
export { bootId } from './process-start.ts'
export { readFileThrough, readNamed, readSpan, readWhole } from './read-file.ts'
export { type EachLine, partMissing, readParts } from './read-parts.ts'
export type { S3Store, S3StoreOptions } from './s3.ts'
export {
  besideLocation,
  isS3,
  parseEndpoint,
  parseS3,
  s3Address,
  splitAddress,
  withEndpoint,
} from './s3-location.ts'
export { type Line, SortedLines, type SortedRun, writeLines } from './sorted-lines.ts'
export { INPUT_LIST, inputList, keptInputs } from './source-inputs.ts'
export type { ByteRange, Loaded, PutCondition, Store, StoredFile } from './store.ts'
