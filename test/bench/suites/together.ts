import type { Bench } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Row } from '../row.ts'
import { Sink } from '../sink.ts'
import { importInto } from './import.ts'

/** Transform and import of an Amplitude export against mixpanel-import's transform of it alone. */
export async function togetherRow(bench: Bench): Promise<Row> {
  const count = bench.plan.together
  const input = await bench.input('amplitude', count)
  const out = bench.path('mixpanel-import.ndjson')
  const dataset = `dataset-${count}`
  bench.say(`transform and import of ${count.toLocaleString('en')} records`)
  const sink = await Sink.start()
  const contenders = {
    other: async () => {
      await bench.remove('mixpanel-import.ndjson')
      return (await runNode([compiled('contenders/mixpanel-import.ts'), input, out])).seconds
    },
    posthaul: async () => {
      const transform = await bench.transform('amplitude', count, dataset)
      return transform.seconds + (await importInto(bench, count, sink.origin)).seconds
    },
  }
  // mixpanel-import takes minutes a run, so it needs no run to warm up.
  const samples = await interleaved(contenders, Math.min(2, bench.plan.rounds), false)
  await sink.stop()
  sameSets(
    'transform and mixpanel-import',
    await digestOf(out, 'mixpanel-import'),
    await digestOf(bench.path(dataset), 'events'),
  )
  const rate = (of: keyof typeof samples) => `${(count / figure(samples[of]).median / 1000).toFixed(1)}k/s`
  return {
    measured: `transform and import together (amplitude, ${count.toLocaleString('en')} events)`,
    against: "mixpanel-import's own transform of the same file, written to disk",
    ratio: ratios(samples.other, samples.posthaul),
    target: { atLeast: 15 },
    detail: `${rate('posthaul')} to ${rate('other')}`,
  }
}
