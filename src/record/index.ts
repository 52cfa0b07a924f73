/** What record/ opens to others. */
export { ByteWriter } from './byte-writer.ts'
export { beginsWith, grown, hashBytes, holds, mixed, packedJson, stringEnd, utf8Length } from './bytes.ts'
export {
  addRecords,
  type Counts,
  conserved,
  type MadeCounts,
  type RecordCounts,
  recordsAndEvents,
  zeroCounts,
} from './counts.ts'
export { DistinctCount, idHash } from './distinct-count.ts'
export { Fingerprint } from './fingerprint.ts'
export {
  type Head,
  headId,
  headName,
  headUuid,
  type IdentitySpan,
  newHead,
  readHead,
  readIdentity,
  uuidOffset,
  writeEvent,
} from './head.ts'
export { cleanId, Id } from './id.ts'
export {
  emptyInventory,
  type Fates,
  type GroupTypeSeen,
  type Inventory,
  InventorySum,
  inventoryJson,
} from './inventory.ts'
export {
  canonicalJson,
  elements,
  exactJson,
  isJson,
  members,
  parseExact,
  readableJson,
  roundedJson,
} from './json-values.ts'
export { type Key, KeyTally, keyOf, keys } from './keys.ts'
export { LineFramer, type LinePlace, type LineSink, MAX_LINE_BYTES } from './lines.ts'
export { Members, PUT, type Span } from './members.ts'
export { holdsBigInteger, type Mends, mend, noMends } from './mend.ts'
export {
  CUT_OTHERS,
  MERGE_RULE,
  MERGED_UNTIL,
  MERGING,
  type Meeting,
  type MergeKey,
  meetingOf,
  RESEND_MERGES,
} from './merging.ts'
export { isIllegalId, isNeverJoined, isNobody, isNobodyId, isNullWord, mayBeNobody } from './nobody.ts'
export {
  addCounts,
  addNotes,
  byName,
  countOne,
  emptyNotes,
  foldNames,
  foldNotes,
  importIdsOf,
  isTooLong,
  isTrialId,
  MOST_IMPORT_IDS,
  MOST_NAMES,
  NameTable,
  NOT_IN_TRIAL,
  type Notes,
  ranked,
  sumOf,
  takeNotes,
  trialIdOf,
} from './notes.ts'
export { formatReject, lineOf, parseReject, type Reject, recordOf, USUAL_REJECT_RATIO } from './reject.ts'
export {
  COPIED_TO_PERSON,
  checkInstant,
  checkSize,
  cleanDistinctId,
  cleanEventName,
  type EventName,
  GROUP_EVENT,
  GROUP_EVENT_NAMES,
  groupSender,
  INITIAL,
  MAX_EVENT_BYTES,
  MAX_EVENT_NAME,
  MAX_GROUP_KEY,
  type PersonWrites,
  type PersonWriteValues,
  personWrites,
  type Refusal,
  scanRefusal,
  tooLongRefusal,
} from './rules.ts'
export { MOST_MEMBERS, Scanner } from './scan.ts'
export {
  APART_EVENT,
  deepAsText,
  hasDeepArrays,
  hasLongInteger,
  MOST_ARRAYS,
  MOST_ID_BYTES,
  MOST_PERSON_BYTES,
  mayBeDeep,
  type StoredFate,
  storedFate,
  TEMPORARY_DAYS,
  UNPARSEABLE,
} from './stored-properties.ts'
export { FLAG, findMember, KIND, type Kind, Tape, valueText } from './tape.ts'
export { ByteMemo, decodeText, memoize, plainText, scalarText, spelledText, textIn } from './text.ts'
export {
  dayOf,
  dayText,
  formatInstant,
  isNumericTime,
  parseTime,
} from './time.ts'
export { compileTimeFormat, type TimeReader, timeReader, timeWriter } from './time-format.ts'
export { abbreviatedOffset, HALF_OF_DAY, monthNamed } from './time-words.ts'
export {
  canonicalUuid,
  compareUuids,
  FILE_IMPORT_ID,
  isUuidV7,
  nthTwin,
  POSTHAUL_NAMESPACE,
  readUuid,
  readUuidBytes,
  readUuidView,
  UUID_LENGTH,
  type UuidWords,
  uuidText,
  uuidV5,
  uuidV5Words,
  uuidV7,
  uuidWords,
} from './uuid.ts'
export { clockChange, isNearChange, isTimeZone, zoneOffsetMicros } from './zone.ts'
