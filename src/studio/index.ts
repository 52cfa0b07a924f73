/** What studio/ opens to others. */
export { seenWords, trialWords } from './draft/mapping-head.ts'
export { type Explanation, explain } from './explanation.ts'
export {
  findByMatch,
  findByNumber,
  NameMatcher,
  type Search,
  type SearchOptions,
  UuidMatcher,
} from './find-record.ts'
export { type FirstMapping, firstMapping } from './first-mapping.ts'
export type { StudioState } from './studio-data.ts'
export type { EventTrace, LinkTrace, MemberTrace, PartTrace, PlaceTrace } from './trace.ts'
export type { Workbench } from './workbench.ts'
