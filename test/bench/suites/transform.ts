import { pathToFileURL } from 'node:url'
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
  for (const vendor of ['mixpanel', 'amplitude'] as const) {
    rows.push(await transformRow(bench, vendor))
    rows.push(await memberCountRow(bench, vendor))
  }
  return rows
}

/** What it costs to account for every member, in processor time: the same build with and without it. */
async function memberCountRow(bench: Bench, vendor: Vendor): Promise<Row> {
  const count = Math.ceil(bench.plan.transform / 2)
  bench.say(`member counts of ${count.toLocaleString('en')} ${vendor} records`)
  const uncounted = ['--import', pathToFileURL(compiled('contenders/uncounted.ts')).href]
  const samples = await interleaved(
    {
      uncounted: () => bench.transform(vendor, count, `uncounted-${vendor}`, uncounted),
      counted: () => bench.transform(vendor, count, `counted-${vendor}`),
    },
    bench.plan.rounds + 2,
  )
  sameSets(
    `counted transform of ${vendor}`,
    await digestOf(bench.path(`uncounted-${vendor}`), 'events'),
    await digestOf(bench.path(`counted-${vendor}`), 'events'),
  )
  const cpu = (of: 'uncounted' | 'counted') => samples[of].map((sample) => sample.cpu)
  const each = (of: 'uncounted' | 'counted') => ((figure(cpu(of)).median / count) * 1e6).toFixed(1)
  return {
    measured: `processor time of a transform, every member accounted for (${vendor}, ${count.toLocaleString('en')} events)`,
    against: 'the same build, nothing counted',
    ratio: ratios(cpu('counted'), cpu('uncounted')),
    target: { atMost: 1.03 },
    detail: `${each('counted')} to ${each('uncounted')} µs an event`,
  }
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
