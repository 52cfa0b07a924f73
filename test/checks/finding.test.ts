import { expect, test } from 'vitest'
import { becauseOf } from '../../src/checks/finding.ts'
import { PosthaulError } from '../../src/errors.ts'

test('an error of the program is a cause with its remedy, and a bug is thrown on', () => {
  const error = new PosthaulError('no answer', { code: 'unavailable', hint: 'wait', lines: ['twice'] })
  expect(becauseOf(error)).toMatchObject({ cause: 'no answer; twice', remedy: 'wait' })
  expect(() => becauseOf(new TypeError('a bug'))).toThrow('a bug')
})
