import type { Io } from '../../io.ts'
import { readOptions } from '../../options/index.ts'
import { loadMapping } from '../../transform/index.ts'
import { assertTestsPass } from '../test/assert-tests.ts'
import { requestOf, TRANSFORM_ROWS } from '../transform/order.ts'
import type { StagePlan } from './run-json.ts'

/**
 * Runs the tests of the mapping file before an export that is to be transformed: it can take weeks, and transform would refuse
 * what it brought. Code `config` where one fails.
 */
export async function assertTestsBeforeExport(plans: readonly StagePlan[], io: Io): Promise<void> {
  const running = plans.flatMap(({ step, decision }) => (decision.runs ? [step] : []))
  const transform = running.find(({ stage }) => stage === 'transform')
  if (!transform || !running.some(({ stage }) => stage === 'export')) return
  const env = { ...io.env, ...transform.env }
  const { values } = await readOptions(TRANSFORM_ROWS, transform.argv.slice(1), env)
  if (values.map === undefined || values.noTests) return
  const options = requestOf(values, { ...io, env })
  await assertTestsPass({ map: values.map, file: await loadMapping(values.map), options, dryRun: false }, io)
}
