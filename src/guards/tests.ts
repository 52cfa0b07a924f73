import { posthaulLine } from '../text/shell-word.ts'
import { firstFew, plural } from '../text/words.ts'
import { guardOf } from './guard.ts'

export const FAILING_TESTS = 'failing_tests'

/** Failing tests that are told one by one. */
const MOST_NAMED = 8

/** Whether the tests of a mapping file pass. */
export const TESTS = guardOf({
  restsOn: 'data',
  codes: {
    failing_tests: {
      level: 'error',
      means: 'a test of the mapping file fails',
      remedy: 'mend the mapping file, or the test: posthaul test mapping.yaml --update',
      accepted: 'records are mapped as the file says now',
    },
  },
  look: ({ tests }, found) => [
    tests !== undefined &&
      tests.failed.length > 0 &&
      found('failing_tests', {
        count: tests.failed.length,
        text: [
          `${tests.failed.length} of ${plural(tests.all, 'test')} of ${tests.map} ${tests.failed.length === 1 ? 'fails' : 'fail'}`,
          firstFew(tests.failed, MOST_NAMED),
          ...tests.others,
        ].join('; '),
        remedy: `see all with ${posthaulLine(['test', tests.map])}; mend the mapping file, or the test with --update`,
      }),
  ],
})
