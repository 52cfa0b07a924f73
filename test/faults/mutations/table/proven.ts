import type { Mutation } from '../mutation.ts'

const BYTES = 'bytes survive'
const MEMBERS = 'members accounted for'
const ARRIVAL = 'arrival proven'
const ARRIVED = 'test/service/arrived.slow.test.ts'

/** What comes out as it went in, and how it is proven. */
export const PROVEN: readonly Mutation[] = [
  {
    name: 'numbers go through a double',
    promise: BYTES,
    file: 'src/record/members.ts',
    find: '    if (this.has(key)) return false\n',
    replace:
      '    if (/^[-0-9]/.test(value.toString("latin1", start, end))) {\n' +
      '      value = Buffer.from(JSON.stringify(JSON.parse(value.toString("latin1", start, end))))\n' +
      '      ;[start, end, at] = [0, value.length, -1]\n' +
      '    }\n' +
      '    if (this.has(key)) return false\n',
    test: {
      file: 'test/promises/3-bytes-survive.test.ts',
      name: 'promise 3: values come through transform and import to the wire byte for byte',
      built: true,
    },
  },
  {
    name: 'escapes are decoded',
    promise: BYTES,
    file: 'src/record/mend.ts',
    find: '      writer.copy(bytes, i, i + 2)\n',
    replace: '      writer.copy(bytes, i + 1, i + 2)\n',
    test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
  },
  {
    name: 'a pair of surrogates is taken apart',
    promise: BYTES,
    file: 'src/record/mend.ts',
    find: 'if (low >= 0xdc00 && low <= 0xdfff) {',
    replace: 'if (low > 0xdfff) {',
    test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
  },
  {
    name: 'a number beyond doubles stays',
    promise: BYTES,
    file: 'src/record/mend.ts',
    find: '      if (huge || big) writer.byte(QUOTE)\n      writer.copy',
    replace: '      if (big) writer.byte(QUOTE)\n      writer.copy',
    test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
  },
  {
    name: 'the mends are not counted',
    promise: BYTES,
    file: 'src/record/mend.ts',
    find: 'mends.lone_surrogate++',
    replace: '',
    test: { file: 'test/promises/3-bytes-survive.test.ts', name: 'that alone, and counted', built: true },
  },
  {
    name: 'a member that lost its name is forgotten',
    promise: MEMBERS,
    file: 'src/mapping/member-counts.ts',
    find: 'for (let i = 0; i < length; i++) counts[met[i]!]! += records',
    replace: 'for (let i = 1; i < length; i++) counts[met[i]!]! += records',
    test: { file: 'test/promises/9-members.test.ts', name: 'has a fate, and each fate is true' },
  },
  {
    name: 'a word for nothing is taken for a value in records of a shape that is known',
    promise: MEMBERS,
    file: 'src/mapping/shape-memory.ts',
    find: 'value = VALUE.vendorsNothing',
    replace: 'value = VALUE.present',
    test: { file: 'test/faults/same-shape.test.ts', name: 'makes the same of every record' },
  },
  {
    name: 'members with blanks between them are copied in one go',
    promise: BYTES,
    file: 'src/record/member-plan.ts',
    find: 'if (isApart || !isOwn(members[i]!, tape)) {',
    replace: 'if (!isOwn(members[i]!, tape)) {',
    test: { file: 'test/record/members.test.ts', name: 'with blanks are those of the record too' },
  },
  {
    name: 'what a preset drops is not said',
    promise: MEMBERS,
    file: 'src/mapping/member-counts.ts',
    find: 'if (kind.emits.length === 0 && kind.leftOut !== null) {',
    replace: 'if (kind.emits.length < 0 && kind.leftOut !== null) {',
    test: { file: 'test/promises/9-members.test.ts', name: 'has a fate, and each fate is true' },
  },
  {
    name: 'members of rejects are counted',
    promise: MEMBERS,
    file: 'src/mapping/member-counts.ts',
    find: 'this.#met[this.#metCount++] = (place << MET_BITS) | how',
    replace: 'this.#counts[(place << MET_BITS) | how]!++',
    test: {
      file: 'test/promises/9-members.test.ts',
      name: 'is counted only where the record became an event',
    },
  },
  {
    name: 'copies of an event count twice',
    promise: ARRIVAL,
    file: 'src/service/arrived.ts',
    find: 'SELECT DISTINCT ',
    replace: 'SELECT ',
    test: { file: ARRIVED, name: 'all of them' },
  },
  {
    name: 'one uuid of two persons is one event',
    promise: ARRIVAL,
    file: 'src/service/arrived.ts',
    find: 'AS day, event, distinct_id, ',
    replace: 'AS day, event, ',
    test: { file: ARRIVED, name: 'all of them' },
  },
  {
    name: "days in the project's time zone",
    promise: ARRIVAL,
    file: 'src/service/event-filter.ts',
    find: `"toString(toDate(toTimeZone(timestamp, 'UTC')))"`,
    replace: "'toString(toDate(timestamp))'",
    test: { file: ARRIVED, name: 'all of them' },
  },
  {
    name: "edges of days in the project's time zone",
    promise: ARRIVAL,
    file: 'src/service/event-filter.ts',
    find: "6, 'UTC')`",
    replace: '6)`',
    test: { file: ARRIVED, name: 'all of them' },
  },
  {
    name: 'half of a uuid is compared',
    promise: ARRIVAL,
    file: 'src/service/event-filter.ts',
    find: '[half(1), half(17)]',
    replace: '[half(1), half(1)]',
    test: { file: ARRIVED, name: 'all of them' },
  },
  {
    name: 'counts are compared, not events',
    promise: ARRIVAL,
    file: 'src/audit/compare.ts',
    find: 'return !exact || JSON.stringify(here.text) === JSON.stringify(there.text)',
    replace: 'return true',
    test: { file: 'test/audit/compare.test.ts', name: 'as many events, but not the same: a difference' },
  },
  {
    name: 'sums without carry',
    promise: ARRIVAL,
    file: 'src/record/fingerprint.ts',
    find: 'high + (total > 0xffffffff ? 1 : 0)',
    replace: 'high',
    test: { file: 'test/record/fingerprint.test.ts', name: 'is what a real ClickHouse computes' },
  },
  {
    name: 'a quote in a name ends the text',
    promise: ARRIVAL,
    file: 'src/service/query.ts',
    find: `.replaceAll("'", "\\\\'")`,
    replace: '',
    test: { file: ARRIVED, name: 'in pages' },
  },
  {
    name: 'a guard that fails is passed',
    promise: ARRIVAL,
    file: 'src/commands/import-guards.ts',
    find: 'throw error instanceof PosthaulError ? untold(error) : error',
    replace: 'return undefined',
    test: { file: 'test/e2e/import.test.ts', name: 'personal key may not read projects' },
  },
  {
    name: 'a window of an unknown archive counts as exported',
    promise: 'conservation',
    file: 'src/sources/amplitude/archive-members.ts',
    find: 'if (skipped.length === members) {',
    replace: 'if (skipped.length > members) {',
    test: {
      file: 'test/sources/amplitude.test.ts',
      name: 'a window of which no member could be read is not taken for exported',
    },
  },
  {
    name: 'two events of Statsig with ids of their own are one',
    promise: 'conservation',
    file: 'src/mapping/presets/statsig.ts',
    find: 'if (own !== undefined) return own',
    replace: 'if (own === null) return own',
    test: { file: 'test/mapping/fixtures.test.ts', name: 'valid/' },
  },
  {
    name: 'the times of user properties are lost unsaid',
    promise: MEMBERS,
    file: 'src/mapping/presets/ga4.ts',
    find: 'if (times.length > 0) draft.property(TIMES',
    replace: 'if (times.length < 0) draft.property(TIMES',
    test: { file: 'test/mapping/every-leaf.test.ts', name: 'every value of' },
  },
]
