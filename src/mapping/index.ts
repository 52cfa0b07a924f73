/** What mapping/ opens to others. */
export { CELL_TYPES, type CellReader, type CellType, cellReader } from './cell-types.ts'
export { browserOf, browserVersionOf, deviceTypeOf, systemOf, systemVersionOf } from './client-names.ts'
export { ClockGaps, type ForeignClock } from './clock-gaps.ts'
export { type ColumnMapping, type ColumnTarget, ENCODINGS, type Encoding, NO_COLUMNS } from './columns.ts'
export { type Compiled, compile } from './compile.ts'
export { constantJson } from './constant-json.ts'
export { type Constant, constantsOf, isQueryable, type Provenance, tailOf } from './constant-properties.ts'
export {
  type Amount,
  type AmountForm,
  amountOf,
  DECIMALS,
  decimalNumber,
  isLetters,
  MINUSES,
} from './decimal.ts'
export { CHILD, childPlace, Exploder, type TakesChildren } from './explode.ts'
export { explodedPreset } from './exploded-preset.ts'
export { ASKED, HASHED, KEPT, LEFT_OUT, MENDED, OPENED } from './fates.ts'
export { PRESET_FAILED } from './guarded.ts'
export { IdleRules, unheardOf } from './idle-rules.ts'
export type { GroupState } from './joined-groups.ts'
export { FORGOTTEN, type IdLink, type Link, type People, type RecordIds } from './link.ts'
export type { Mapped, MappedEvent, MapperOptions } from './mapped.ts'
export { Mapper } from './mapper.ts'
export { FILL_IN, MAPPED_FIELDS, type MappedField, type Mapping, NO_MAPPING } from './mapping.ts'
export { type MappingFile, parseMapping } from './mapping-file.ts'
export { mappingSchema } from './mapping-schema.ts'
export {
  type ExpectedOutcome,
  type MappingTest,
  parseTests,
  type TestOptions,
  type TestSource,
} from './mapping-tests.ts'
export { canonicalPath, pathSegments, quotedSegment, valueAt } from './member-path.ts'
export {
  HOLDERS,
  membersOf,
  NO_RULE,
  propertyPlaces,
  type RecordMember,
  type TracedMember,
} from './member-rules.ts'
export { flatPlace, rowNames, rowObject } from './named-rows.ts'
export { enginePreset, type OwnPreset } from './own-preset.ts'
export {
  type Draft,
  Filtered,
  type IdDraft,
  type IdView,
  type Preset,
  type PresetOptions,
  type RecordView,
  Rejection,
  type Target,
} from './preset.ts'
export { RecordReader } from './record-reader.ts'
export { importIdOf, rulesOf } from './rules-version.ts'
export { yamlWords } from './settings-fault.ts'
export { isTooDeep, type Refuse, readSettings } from './settings-text.ts'
export { type Fold, joinable, keyText, readsTable, type SideTable, TABLE_MEMBER } from './side-table.ts'
export { assertKeysRead, groupTypeOf, isPresetFile, switchesOf } from './switches.ts'
