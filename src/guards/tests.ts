import { posthaulLine } from '../text/shell-word.ts'
import { firstFew, plural } from '../text/words.ts'
import { foundBy, type Guard } from './guard.ts'

const codes = {
  failing_tests: {
    level: 'error',
    restsOn: 'data',
    means: 'a test of the mapping file fails',
    remedy: 'mend the mapping file, or the test: posthaul test mapping.yaml --update',
    accepted: 'records are mapped as the file says now',
  },
} satisfies Guard['codes']
const found = foundBy(codes)

export const FAILING_TESTS = 'failing_tests'

/** Failing tests that are told one by one. */
const MOST_NAMED = 8

/** Whether the tests of a mapping file pass. */
export const TESTS: Guard = {
  codes,
  look: ({ tests }) => [
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
}
