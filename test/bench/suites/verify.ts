import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import type { Bench } from '../bench.ts'
import { figure, interleaved, type Row, ratios } from '../measure.ts'
import { POSTHAUL, runNode } from '../process.ts'

/** The proof that all events of an import have arrived, against the import. */
export async function verifyRow(bench: Bench): Promise<Row> {
  const count = bench.plan.sandbox
  const events = `${count.toLocaleString('en')} events in the sandbox`
  bench.say(`verify of ${events}`)
  await bench.transform('mixpanel', count, 'dataset')
  const sandbox = await startSandbox()
  const env = sandboxEnv(sandbox)
  const verify = [POSTHAUL, 'verify', bench.path('dataset'), '--json']
  const samples = await interleaved(
    {
      import: () => bench.import('dataset', env),
      verify: () => runNode(verify, { ...env, XDG_STATE_HOME: bench.path('state') }),
    },
    bench.plan.rounds,
  )
  await sandbox.close()
  const seconds = (of: keyof typeof samples) => samples[of].map((sample) => sample.seconds)
  const told = (of: keyof typeof samples) => `${figure(seconds(of)).median.toFixed(1)} s`
  return {
    measured: `verify of an import (${events}, wall)`,
    against: 'the import, caps lifted',
    ratio: ratios(seconds('import'), seconds('verify')),
    target: { atLeast: 1 },
    detail: `${told('verify')} to ${told('import')}`,
  }
}
