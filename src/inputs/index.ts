/** What inputs/ opens to others. */
export { ARCHIVE_CAPS, ArchiveBudget, ArchiveError, type ArchiveMember } from './archive.ts'
export { readHeader } from './csv-reader.ts'
export { RowTally } from './csv-rows.ts'
export { decoded } from './decode.ts'
export { type FoundEncoding, findEncoding } from './find-encoding.ts'
export { type CellReading, type InputFile, type InputFormat, readAs } from './input-file.ts'
export { isRejectsName, listInputs, parseGlob } from './list.ts'
export { askEach, statOf, withoutLinks } from './locate.ts'
export type { ChooseOptions } from './manifests/by-manifests.ts'
export { type FileRemark, REMARKS, remarkWords } from './manifests/remark.ts'
export { type ByteProgress, openBytes } from './open-bytes.ts'
export { parquetLines } from './parquet.ts'
export {
  areExports,
  emptyInput,
  holdsRecord,
  isSplittable,
  type RecordReadOptions,
  readRecords,
} from './read.ts'
export { AsRead, type RecordSink, withNulls } from './record-sink.ts'
export { readSpread, SPREAD_BYTES, type Spread, type SpreadRecord, type SpreadRefused } from './spread.ts'
export { evenly } from './thinned.ts'
export { fileSource, readMember, zipMembers } from './zip.ts'
