import type { Bench } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import type { Vendor } from '../generate/history.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Row } from '../row.ts'

/** The whole transform against the loop that most people would write first. */
export async function transformRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const vendor of ['mixpanel', 'amplitude'] as const) rows.push(await transformRow(bench, vendor))
  return rows
}

async function transformRow(bench: Bench, vendor: Vendor): Promise<Row> {
  const count = vendor === 'mixpanel' ? bench.plan.transform : Math.ceil(bench.plan.transform / 2)
  const input = await bench.input(vendor, count)
  const loop = bench.path(`loop-${vendor}.ndjson`)
  bench.say(`transform of ${count.toLocaleString('en')} ${vendor} records`)
  const samples = await interleaved(
    {
      loop: async () => {
        await bench.remove(`loop-${vendor}.ndjson`)
        return runNode([compiled('contenders/parse-loop.ts'), input, loop])
      },
      posthaul: () => bench.transform(vendor, count, `events-${vendor}`),
    },
    bench.plan.rounds,
  )
  sameSets(
    `transform of ${vendor}`,
    await digestOf(loop, vendor),
    await digestOf(bench.path(`events-${vendor}`), 'events'),
  )
  await bench.remove(`loop-${vendor}.ndjson`)
  const seconds = (of: 'loop' | 'posthaul') => samples[of].map((sample) => sample.seconds)
  const rate = (of: 'loop' | 'posthaul') => Math.round(count / figure(seconds(of)).median / 1000)
  const cpu = (of: 'loop' | 'posthaul') => figure(samples[of].map((sample) => sample.cpu)).median
  return {
    measured: `transform, whole, 2 workers (${vendor}, ${count.toLocaleString('en')} events)`,
    against: 'line split, JSON.parse, rename six keys, JSON.stringify, write; 1 thread',
    ratio: ratios(seconds('loop'), seconds('posthaul')),
    target: { atLeast: 2.5 },
    detail: `${rate('posthaul')}k/s to ${rate('loop')}k/s; CPU ${cpu('posthaul').toFixed(1)} s to ${cpu('loop').toFixed(1)} s`,
  }
}
