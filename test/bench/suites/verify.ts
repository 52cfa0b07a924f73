import { startSandbox } from '../../../src/sandbox/sandbox.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import type { Bench } from '../bench.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { POSTHAUL } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Row } from '../row.ts'
import { importInto } from './import.ts'

const DATASET = 'dataset-verify'

/** The proof that all events of an import have arrived, against the import. */
export async function verifyRow(bench: Bench): Promise<Row> {
  const count = bench.plan.sandbox
  bench.say(`verify of ${count.toLocaleString('en')} events`)
  await bench.transform('mixpanel', count, DATASET)
  const sandbox = await startSandbox()
  const env = sandboxEnv(sandbox)
  const verify = [POSTHAUL, 'verify', bench.path(DATASET), '--json']
  const samples = await interleaved(
    {
      import: () => importInto(bench, DATASET, env),
      verify: () => runNode(verify, { ...env, XDG_STATE_HOME: bench.path('state') }),
    },
    bench.plan.rounds,
  )
  await sandbox.close()
  await bench.remove(DATASET)
  const seconds = (of: keyof typeof samples) => samples[of].map((sample) => sample.seconds)
  const told = (of: keyof typeof samples) => `${figure(seconds(of)).median.toFixed(1)} s`
  return {
    measured: `verify of an import (${count.toLocaleString('en')} events in the sandbox)`,
    against: 'the import, caps lifted',
    ratio: ratios(seconds('import'), seconds('verify')),
    target: { atLeast: 1 },
    detail: `${told('verify')} to ${told('import')}`,
  }
}
