/** What studio/ opens to others. */

export { seenWords, trialWords } from './draft/mapping-head.ts'
export { type Explanation, explain } from './explanation.ts'
export {
  type FoundRecord,
  findByMatch,
  findByNumber,
  NameMatcher,
  type Search,
  type SearchOptions,
  UuidMatcher,
} from './find-record.ts'
export { type FirstMapping, firstMapping } from './first-mapping.ts'
export { readMapping, saveMapping } from './mapping-on-disk.ts'
export type { StudioRecord, StudioState } from './studio-data.ts'
export type { TestExample } from './test-examples.ts'
export { testDifferences } from './tests/test-differences.ts'
export { type TestOutcome, testOutcome } from './tests/test-outcome.ts'
export { type WrittenTest, withOutcomes, withTests } from './tests/test-text.ts'
export type { EventTrace, LinkTrace, MemberTrace, PartTrace, PlaceTrace } from './trace.ts'
export { ON_EVERY } from './trace.ts'
export type { Workbench } from './workbench.ts'
