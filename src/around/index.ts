/** What around/ opens to others. */
export { type Given, given, isEmpty, mergeAlike, restOf } from './alike.ts'
export { AroundFolder, cohortFiles } from './around-folder.ts'
export {
  AROUND_KINDS,
  AROUND_ROWS,
  type AroundCohort,
  type AroundKind,
  type AroundRow,
  rowKey,
} from './around-kinds.ts'
export type { AroundCall, AroundSource, Untold } from './around-source.ts'
