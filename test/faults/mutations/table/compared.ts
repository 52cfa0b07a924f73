import type { Mutation } from '../mutation.ts'

const COMPARED = 'the same numbers'
const ORACLE = { file: 'test/compare/answer-charts.test.ts', name: 'are what a plain count says' }
const CHAIN = {
  file: 'test/compare/chain.test.ts',
  name: 'every difference between a vendor, a dataset and PostHog has its causes',
}
const DATASETS = 'test/compare/read-datasets.test.ts'

/** What makes a number that is held against another, and says why they differ. */
export const COMPARISONS: readonly Mutation[] = [
  {
    name: 'a filter of a question is ignored',
    promise: COMPARED,
    file: 'src/compare/answer-charts.ts',
    find: "[days.within('instant'), ...where.map((filter) => columns.filter(filter))]",
    replace: "[days.within('instant')]",
    test: ORACLE,
  },
  {
    name: 'a week begins on Sunday',
    promise: COMPARED,
    file: 'src/compare/zone-days.ts',
    find: '700_003',
    replace: '700_004',
    test: ORACLE,
  },
  {
    name: 'a step at the very end of the window is too late',
    promise: COMPARED,
    file: 'src/compare/funnel-sql.ts',
    find: '} <= $',
    replace: '} < $',
    test: { file: DATASETS, name: 'take a step at the very end of the window, and none after it' },
  },
  {
    name: 'each first step is a try, whatever the vendor says',
    promise: COMPARED,
    file: 'src/compare/funnel-sql.ts',
    find: "tries === 'newest'",
    replace: 'tries !== undefined',
    test: ORACLE,
  },
  {
    name: 'people are not joined by their links',
    promise: COMPARED,
    file: 'src/compare/read-datasets.ts',
    find: 'coalesce(j.person, id) AS person',
    replace: 'id AS person',
    test: { file: DATASETS, name: 'join people in the order of their arrival' },
  },
  {
    name: 'people are joined in another order than events arrive',
    promise: COMPARED,
    file: 'src/compare/joined-people.ts',
    find: 'ORDER BY l.seq',
    replace: 'ORDER BY l.seq DESC',
    test: { file: DATASETS, name: 'join people in the order of their arrival' },
  },
  {
    name: 'an event of two datasets counts twice',
    promise: COMPARED,
    file: 'src/compare/read-datasets.ts',
    find: '`WHERE seq NOT IN (${',
    replace: '`WHERE true OR seq NOT IN (${',
    test: { file: DATASETS, name: 'of two datasets are one where both have the very same event' },
  },
  {
    name: 'copies are called rejected',
    promise: COMPARED,
    file: 'src/compare/views.ts',
    find: "cause: 'duplicate'",
    replace: "cause: 'rejected'",
    test: CHAIN,
  },
  {
    name: "the zone of the vendor's days is ignored",
    promise: COMPARED,
    file: 'src/compare/chain.ts',
    find: "zones?.events.zone ?? service?.zone ?? 'UTC'",
    replace: "service?.zone ?? 'UTC'",
    test: CHAIN,
  },
  {
    name: 'what others sent counts as ours',
    promise: COMPARED,
    file: 'src/service/arrived-charts.ts',
    find: 'ours, others: once - ours, doubled',
    replace: 'ours: once, others: 0, doubled',
    test: { file: 'test/service/service-charts.test.ts', name: 'whose events a number is made of' },
  },
  {
    name: 'the tolerance is ignored',
    promise: COMPARED,
    file: 'src/jobs/compare/compare-json.ts',
    find: 'equal: amount === 0 || share',
    replace: 'equal: amount === 0 && share',
    test: {
      file: 'test/jobs/compare/compare-json.test.ts',
      name: 'people may differ by their tolerance, events by none',
    },
  },
  {
    name: 'answers are taken for those of other days',
    promise: COMPARED,
    file: 'src/jobs/compare/kept-answers.ts',
    find: 'query, span.first, span.last]',
    replace: 'query]',
    test: {
      file: 'test/jobs/compare/kept-answers.test.ts',
      name: 'an answer is kept for its days, its project and its question only',
    },
  },
  {
    name: 'rows of a chart are told apart by their place',
    promise: COMPARED,
    file: 'src/service/chart-insights.ts',
    find: 'order, count }) => ({ at: String(order + 1), by',
    replace: 'count }, place) => ({ at: String(place + 1), by',
    test: {
      file: 'test/service/insight-query.test.ts',
      name: 'rows are told apart by their order, steps and periods by theirs',
    },
  },
]
