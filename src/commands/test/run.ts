import { EXIT } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { TestResult } from '../../mapping-tests/result.ts'
import { runMappingTests } from '../../mapping-tests/run-tests.ts'
import type { TestCall } from './index.ts'

export { testResult as schema } from '../../mapping-tests/result.ts'
export { testLines as lines } from './text.ts'

export const exit = ({ failed }: TestResult) => (failed > 0 ? EXIT.rejects : EXIT.done)

export async function* run({ args: [mapping], values }: TestCall, world: Io): AsyncGenerator<TestResult> {
  yield await runMappingTests(mapping!, values, world)
}
