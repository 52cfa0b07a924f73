import { breaking } from '../mutation.ts'

const REQUESTS = 'test/store/s3-requests.slow.test.ts'

export const BUCKETS = breaking({
  'no bucket holds a run for ever': [
    {
      name: 'an answer of a bucket may drip for days',
      file: 'src/store/s3-requests.ts',
      find: '    if (performance.now() - began > mostMs) throw tooSlow(origin)\n',
      test: { file: REQUESTS, name: 'that drips for ever ends reads and writes' },
    },
    {
      name: 'what a refusal to read says may drip for days',
      file: 'src/store/s3-requests.ts',
      find: "=== 'GetObject' && statusCode < 300",
      replace: "=== 'GetObject'",
      test: { file: REQUESTS, name: 'that drips for ever ends reads and writes' },
    },
    {
      name: 'a failed upload waits for a silent bucket to drop its parts',
      file: 'src/store/s3-uploads.ts',
      find: ', { abortSignal: AbortSignal.timeout(abortMs) }',
      test: { file: REQUESTS, name: 'a failed upload does not wait' },
    },
  ],
  'nobody writes over what another has written': [
    {
      name: 'a bucket that ignores If-Match keeps two runs apart',
      file: 'src/store/s3-uploads.ts',
      find: 'return [taken, stale].every(',
      replace: 'return [taken, stale].some(',
      test: { file: 'test/store/s3.slow.test.ts', name: 'says so when conditions are kept like this' },
    },
  ],
  conservation: [
    {
      name: 'a list of a bucket that does not say that it is all is all',
      file: 'src/store/s3.ts',
      find: 'if (!isList || (next !== undefined && next === token)) throw',
      replace: 'if (isList && next !== undefined && next === token) throw',
      test: { file: 'test/store/s3.slow.test.ts', name: 'a list that does not say whether it is all' },
    },
  ],
})
