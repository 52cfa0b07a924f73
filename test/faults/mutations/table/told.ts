import type { Mutation } from '../mutation.ts'

const FORGOTTEN = 'nothing is told of who is forgotten'
const SECRETS = 'secrets stay secret'
const TRUE = 'what is said is true'

/** What nobody may read, and what nobody may be told. */
export const TOLD: readonly Mutation[] = [
  {
    name: 'a merge of someone who is forgotten is sent',
    promise: FORGOTTEN,
    file: 'src/transform/forget/forgotten.ts',
    find: ' || links.some(({ from, firm }) => firm && this.isForgotten(from))',
    replace: ' || links.length < 0',
    test: {
      file: 'test/transform/forget/forgotten.test.ts',
      name: 'one that makes them one with somebody else',
    },
  },
  {
    name: 'an id in escapes is no id of someone who is forgotten',
    promise: FORGOTTEN,
    file: 'src/transform/forget/forgotten.ts',
    find: 'if (this.#isId(unescaped(text!))) return true',
    replace: 'if (this.#isId(text!)) return true',
    test: { file: 'test/transform/forget/forgotten.test.ts', name: 'is known' },
  },
  {
    name: 'a list of people to forget may change while it is read',
    promise: FORGOTTEN,
    file: 'src/transform/forget/find-forgotten.ts',
    find: 'if (found.sha256 === sha256) return ids',
    replace: "if (found.sha256 !== '') return ids",
    test: {
      file: 'test/transform/forget/forget-list.test.ts',
      name: 'a list that was changed since the run began',
    },
  },
  {
    name: 'a link between hashed ids is told in clear',
    promise: SECRETS,
    file: 'src/mapping/mapper.ts',
    find: 'const link = sentLink(this.#private, this.#link(id))\n    if (name.cut)',
    replace: 'const link = this.#link(id)\n    if (name.cut)',
    test: { file: 'test/mapping/private-values.test.ts', name: 'unless the ids are hashed' },
  },
  {
    name: 'a warning shows the address of a healthcheck',
    promise: SECRETS,
    file: 'src/telemetry/destination.ts',
    find: 'const secrets = parts.map((part) =>',
    replace: 'const secrets = parts.slice(9).map((part) =>',
    test: { file: 'test/telemetry/pings.test.ts', name: 'without its address' },
  },
  {
    name: 'a key goes wherever the next page is said to be',
    promise: SECRETS,
    file: 'src/service/next-page.ts',
    find: 'if (url.origin !== origin) {',
    replace: "if (url.origin === '') {",
    test: { file: 'test/service/next-page.test.ts', name: 'is elsewhere' },
  },
  {
    name: 'any page may use the studio',
    promise: SECRETS,
    file: 'src/studio/server/studio-app.ts',
    find: "if (!isOwnSite || header('origin') !==",
    replace: "if (!isOwnSite && header('origin') !==",
    test: { file: 'test/studio/server/open-studio.test.ts', name: 'another page' },
  },
  {
    name: 'what has no id of an import is taken back with all of its days',
    promise: TRUE,
    file: 'src/jobs/undo/extent.ts',
    find: '  if (ids.every((of): of is readonly string[] => of !== null))\n    return { importIds: [...new Set(ids.flat())].sort(), first, last }',
    replace:
      '  if (ids.length > 0)\n    return { importIds: [...new Set(ids.flatMap((of) => of ?? []))].sort(), first, last }',
    test: { file: 'test/jobs/undo/extent.test.ts', name: 'the events of others would go too' },
  },
  {
    name: 'as many events are shown as the same ones',
    promise: TRUE,
    file: 'src/html/report/proof.tsx',
    find: 'if (!isEqual)',
    replace: 'if (!isEqual && here !== there)',
    test: { file: 'test/html/report.test.ts', name: 'says of a proof what it is' },
  },
  {
    name: 'a proof that failed is shown as a good one',
    promise: TRUE,
    file: 'src/html/report/proof.tsx',
    find: "<Notice level={proof.isEqual ? 'good' : 'error'}",
    replace: "<Notice level={proof.isEqual ? 'good' : 'good'}",
    test: { file: 'test/html/report.test.ts', name: 'says of a proof what it is' },
  },
  {
    name: 'an import that its time ended is finished',
    promise: TRUE,
    file: 'src/library/import-events.ts',
    find: 'finished: error === undefined && !stoppedInTime',
    replace: 'finished: error === undefined && stoppedInTime !== undefined',
    test: { file: 'test/library/import-events.test.ts', name: 'that its time ended before its input' },
  },
  {
    name: 'rejects are numbered on from one input to the next',
    promise: TRUE,
    file: 'src/transform/seal/line-base.ts',
    find: '    if (input !== last) before = 0\n',
    replace: '',
    test: {
      file: 'test/transform/seal/line-base.test.ts',
      name: 'each input begins at its first line',
    },
  },
  {
    name: 'a reject that is no UTF-8 loses its bytes',
    promise: 'no value is bent in silence',
    file: 'src/record/reject.ts',
    find: 'return Buffer.from(record).equals(line) ? { record } : {',
    replace: 'return record ? { record } : {',
    test: { file: 'test/record/reject.test.ts', name: 'keeps its bytes' },
  },
]
