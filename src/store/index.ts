/** What store/ opens to others. */

export { type ArrivalCell, cellSchema, readArrival, writeArrival } from './arrival.ts'
export { cellOf, fingerprintOf, MOST_CELLS_A_DAY } from './arrival-cell.ts'
export {
  isTemporaryName,
  replaceFile,
  syncFolder,
  TEMPORARY,
  temporaryBeside,
  writeFileAtomic,
} from './atomic-file.ts'
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
export { FILE_MODE } from './file-mode.ts'
export { GzipFault, gunzip, gunzipHead, isGzip } from './gunzip.ts'
export { type Holder, holderHere, holderSchema, holderWords, lifeOf, whoOf } from './holder.ts'
export { homeOf } from './home.ts'
export { LinesPiece } from './lines-piece.ts'
export { LocalStore, loadFile, publishIf, removeIf, versionOf } from './local.ts'
export { makeFolder } from './make-folder.ts'
export {
  type EventPart,
  type EventsManifest,
  type Manifest,
  parseManifest,
  type RawManifest,
} from './manifest.ts'
export { countShape, day, tallyShape } from './manifest-shapes.ts'
export {
  ARRIVAL,
  COUNTS_SUFFIX,
  EXPORT_STATE,
  isStoreName,
  MANIFEST,
  MEND_PART,
  REJECTS,
  REMAKE,
} from './name.ts'
export { openStore } from './open.ts'
export { openOwn } from './own-file.ts'
export { assertHome, assertNoLink, isOwn } from './ownership.ts'
export { byPartOrder, parsePartName, partName } from './part-name.ts'
export { bootId } from './process-start.ts'
export { type EachLine, partMissing, readParts } from './read-parts.ts'
export { readFileThrough } from './read-through.ts'
export { readWhole } from './read-whole.ts'
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
export { scratchFolder } from './scratch-folder.ts'
export { type Line, linesText, SortedLines, type SortedRun, writeLines } from './sorted-lines.ts'
export { INPUT_LIST, inputList, keptInputs } from './source-inputs.ts'
export type { Body, ByteRange, Loaded, PutCondition, Store, StoredFile } from './store.ts'
