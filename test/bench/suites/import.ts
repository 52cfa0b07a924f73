import type { Bench } from '../bench.ts'
import { bodiesOf } from '../bodies.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled, POSTHAUL } from '../paths.ts'
import { runNode, type Sample } from '../process.ts'
import type { Row } from '../row.ts'
import { Sink } from '../sink.ts'

const DATASET = 'dataset-import'

/** The import of a dataset, caps lifted, gzip on, one lane, into a bare sink. */
export async function importRow(bench: Bench): Promise<Row> {
  const count = bench.plan.import
  bench.say(`import of ${count.toLocaleString('en')} events`)
  await bench.transform('mixpanel', count, DATASET)
  const bodies = bench.path('bodies')
  const keeper = await Sink.start(bodies)
  await importInto(bench, DATASET, sinkEnv(keeper.origin))
  await keeper.stop()
  let events = 0
  for (const body of bodiesOf(bodies))
    events += (JSON.parse(body.toString()) as { batch: unknown[] }).batch.length
  if (events < count / 2) throw new Error(`the sink was sent ${events} events of ${count}`)
  const sink = await Sink.start()
  const samples = await interleaved(
    {
      other: () => runNode([compiled('contenders/undici-loop.ts'), sink.origin, bodies]),
      posthaul: () => importInto(bench, DATASET, sinkEnv(sink.origin)),
    },
    bench.plan.rounds,
  )
  await sink.stop()
  await bench.remove('bodies')
  await bench.remove(DATASET)
  const seconds = (of: keyof typeof samples) => samples[of].map((sample) => sample.seconds)
  const rate = (of: keyof typeof samples) => `${(count / figure(seconds(of)).median / 1000).toFixed(1)}k/s`
  return {
    measured: `import into a bare sink, 1 lane (${count.toLocaleString('en')} events)`,
    against: 'a bare undici loop that posts the same bodies ready-made, gzip on',
    ratio: ratios(seconds('other'), seconds('posthaul')),
    target: { atLeast: 0.6 },
    detail: `${rate('posthaul')} to ${rate('other')}`,
  }
}

function sinkEnv(origin: string): NodeJS.ProcessEnv {
  return { POSTHOG_PROJECT_API_KEY: 'phc_bench', POSTHOG_INGEST_HOST: origin, POSTHOG_HOST: origin }
}

/** Imports a dataset from its first event on, as fast as it goes. */
export async function importInto(bench: Bench, dataset: string, env: NodeJS.ProcessEnv): Promise<Sample> {
  const args = [
    'import',
    '--dataset',
    bench.path(dataset),
    '--approved',
    '--max-events-per-minute',
    '100000000',
  ]
  return runNode([POSTHAUL, ...args, '--restart', '--json', '--via', 'batch'], {
    ...env,
    XDG_STATE_HOME: bench.path('state'),
  })
}
