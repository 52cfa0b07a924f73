import { expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import { fileError, inMidRun } from '../../src/store/file-error.ts'

const failed = (code: string) => Object.assign(new Error(`${code}: no, open 'x'`), { code, syscall: 'open' })

test.each([
  ['EACCES', 'input', 'cannot read raw/: permission denied'],
  ['ENOENT', 'input', 'cannot read raw/: there is no such file or folder'],
  ['ENOSPC', 'unavailable', 'cannot read raw/: the disk is full'],
  ['EIO', 'unavailable', 'cannot read raw/: the disk failed (an input or output error)'],
  ['EMFILE', 'input', 'cannot read raw/: too many files are open'],
  ['EWEIRD', 'unavailable', "cannot read raw/: EWEIRD: no, open 'x'"],
])('%s is said in words', (errno, code, message) => {
  const cause = failed(errno)
  expect(fileError(cause, 'read', 'raw/')).toMatchObject({ code, message, cause, hint: expect.any(String) })
})

test('what is no failed system call stays as it is', () => {
  for (const error of [new TypeError('x'), 'text', new PosthaulError('x', { code: 'usage' })]) {
    expect(fileError(error, 'read', 'raw/')).toBe(error)
  }
})

test('a disk that turns read-only in mid-run pauses it; a mistake in the input stays one', () => {
  const readOnly = inMidRun(fileError(failed('EROFS'), 'write', 'out/'))
  expect(readOnly).toMatchObject({ code: 'unavailable', message: 'cannot write out/: the disk is read-only' })
  for (const error of [new PosthaulError('bad line', { code: 'input' }), new TypeError('x')]) {
    expect(inMidRun(error)).toBe(error)
  }
})
