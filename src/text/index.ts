/** What text/ opens to others. */
export {
  endpointOf,
  helpCommand,
  mendedCommand,
  mendedName,
  placesOf,
  rejectsCommand,
  shellLine,
  undoWords,
  verifyArgv,
  withOptions,
  withoutPings,
  withoutRestart,
} from './command-line.ts'
export { COLUMNS, fold, folded, hung, narrowed, REMARK } from './fold.ts'
export {
  errorJson,
  failureJson,
  isJsonObject,
  type JsonObject,
  jsonLine,
  objectIn,
  objectOrEmpty,
  ownOf,
  parsedOrNone,
  parseOnce,
  secondsJson,
} from './json.ts'
export { groupedBy, sum } from './lists.ts'
export { nearest } from './nearest.ts'
export { hasColours, painted, paintedFor, paintedLabel } from './paint.ts'
export { pathWord, posthaulLine, shellWord } from './shell-word.ts'
export { type Column, Table } from './table.ts'
export {
  GIB,
  GZIP,
  KIB,
  LONGEST_TIMER_MS,
  MIB,
  MICROS_PER_DAY,
  MICROS_PER_HOUR,
  MICROS_PER_MS,
  MICROS_PER_SECOND,
  MS_PER_DAY,
  MS_PER_HOUR,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  SECONDS_PER_DAY,
} from './units.ts'
export { cutTo, pad, plainJson, visible, width } from './visible.ts'
export { bytes, compareTexts, firstFew, mostFirst, number, plural, span } from './words.ts'
