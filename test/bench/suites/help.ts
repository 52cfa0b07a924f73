import type { Bench } from '../bench.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { POSTHAUL } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Row } from '../row.ts'

/** How long a user waits for `posthaul --help`. */
export async function helpRow(bench: Bench): Promise<Row> {
  bench.say('help')
  const samples = await interleaved(
    { node: () => runNode(['-e', '0']), posthaul: () => runNode([POSTHAUL, '--help']) },
    bench.plan.rounds * 4,
  )
  const seconds = (of: 'node' | 'posthaul') => samples[of].map((sample) => sample.seconds)
  const millis = (of: 'node' | 'posthaul') => `${Math.round(figure(seconds(of)).median * 1000)} ms`
  return {
    measured: '`posthaul --help`',
    against: '`node -e 0`',
    ratio: ratios(seconds('posthaul'), seconds('node')),
    target: { atMost: 2.5 },
    detail: `${millis('posthaul')} to ${millis('node')}`,
  }
}
