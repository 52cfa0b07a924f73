import type { Bench } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import { figure, interleaved, type Row, ratios } from '../measure.ts'
import { compiled, runNode, type Sample, withSink } from '../process.ts'

type Run = (origin: string) => Promise<Pick<Sample, 'seconds' | 'cpu'>>

/** Imports into a bare sink by one lane, caps lifted, gzip on: of a dataset, and of a raw file with its transform. */
export async function importRows(bench: Bench): Promise<Row[]> {
  const count = bench.plan.import
  const input = await bench.input('mixpanel', count)
  const events = `${count.toLocaleString('en')} events into a bare sink, wall`
  const transform = () => bench.transform('mixpanel', count, 'dataset')
  const imported: Run = (origin) =>
    bench.import('dataset', {
      POSTHOG_PROJECT_API_KEY: 'phc_bench',
      POSTHOG_INGEST_HOST: origin,
      POSTHOG_HOST: origin,
    })
  await transform()
  return [
    await compared(bench, `import (${events})`, imported, {
      against: 'posthog-node with historicalMigration on',
      atLeast: 5,
      run: (origin) => runNode([compiled('contenders/posthog-node.js'), origin, bench.path('dataset')]),
    }),
    await compared(
      bench,
      `transform and import (mixpanel, ${events})`,
      async (origin) => {
        const [first, second] = [await transform(), await imported(origin)]
        return { seconds: first.seconds + second.seconds, cpu: first.cpu + second.cpu }
      },
      {
        against: 'one thread that parses, maps and posts with gzip',
        atLeast: 1.3,
        run: (origin) => runNode([compiled('contenders/one-thread.js'), origin, input]),
      },
    ),
  ]
}

async function compared(
  bench: Bench,
  measured: string,
  ours: Run,
  { against, atLeast, run }: { against: string; atLeast: number; run: Run },
): Promise<Row> {
  bench.say(measured)
  const sent = async (by: Run) => {
    await withSink(by, bench.path('sent'))
    return digestOf(bench.path('sent'), 'events')
  }
  sameSets(measured, await sent(run), await sent(ours))
  const samples = await withSink((origin) =>
    interleaved({ other: () => run(origin), posthaul: () => ours(origin) }, bench.plan.rounds),
  )
  const of = (name: keyof typeof samples, what: 'seconds' | 'cpu') =>
    samples[name].map((sample) => sample[what])
  const rate = (name: keyof typeof samples) =>
    `${(bench.plan.import / figure(of(name, 'seconds')).median / 1000).toFixed(1)}k/s`
  const cpu = (name: keyof typeof samples) => figure(of(name, 'cpu')).median.toFixed(1)
  return {
    measured,
    against,
    ratio: ratios(of('other', 'seconds'), of('posthaul', 'seconds')),
    target: { atLeast },
    detail: `${rate('posthaul')} to ${rate('other')}; CPU ${cpu('posthaul')} to ${cpu('other')} s`,
  }
}
