import type { Mutation } from '../mutation.ts'

const ENDS = 'no bucket holds a run for ever'
const REQUESTS = 'test/store/s3-requests.slow.test.ts'

export const BUCKETS: readonly Mutation[] = [
  {
    name: 'an answer of a bucket may drip for days',
    promise: ENDS,
    file: 'src/store/s3-requests.ts',
    find: '    if (performance.now() - began > mostMs) throw tooSlow(origin)\n',
    replace: '',
    test: { file: REQUESTS, name: 'that drips for ever ends reads and writes' },
  },
  {
    name: 'what a refusal to read says may drip for days',
    promise: ENDS,
    file: 'src/store/s3-requests.ts',
    find: "=== 'GetObject' && statusCode < 300",
    replace: "=== 'GetObject'",
    test: { file: REQUESTS, name: 'that drips for ever ends reads and writes' },
  },
  {
    name: 'a failed upload waits for a silent bucket to drop its parts',
    promise: ENDS,
    file: 'src/store/s3.ts',
    find: ', { abortSignal: AbortSignal.timeout(this.#abortMs) }',
    replace: '',
    test: { file: REQUESTS, name: 'a failed upload does not wait' },
  },
]
