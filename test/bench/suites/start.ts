import type { Bench } from '../bench.ts'
import { figure, interleaved, type Row } from '../measure.ts'
import { POSTHAUL, runNode } from '../process.ts'

/** How long a user waits for help and for a command that works: processor time, the least of many runs. */
export async function startRows(bench: Bench): Promise<Row[]> {
  bench.say('starts')
  const state = { XDG_STATE_HOME: bench.path('state') }
  const samples = await interleaved(
    {
      node: () => runNode(['-e', '0']),
      help: () => runNode([POSTHAUL, '--help']),
      status: () => runNode([POSTHAUL, 'status', '--dataset', bench.path('dataset')], state),
    },
    bench.plan.rounds * 4,
  )
  const least = (of: keyof typeof samples) => figure(samples[of].map((sample) => sample.cpu)).min
  return (['help', 'status'] as const).map((of) => ({
    measured: of === 'help' ? '`posthaul --help`, processor time' : '`posthaul status`, processor time',
    against: '`node -e 0`, least of each',
    ratio: figure([least(of) / least('node')]),
    target: { atMost: 1.5 },
    detail: `${Math.round(least(of) * 1000)} to ${Math.round(least('node') * 1000)} ms`,
  }))
}
