import { rm } from 'node:fs/promises'
import type { Bench } from '../bench.ts'
import { sentEvents } from '../bodies.ts'
import { sameSets } from '../compare.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled, POSTHAUL } from '../paths.ts'
import { runNode, type Sample } from '../process.ts'
import type { Row } from '../row.ts'
import { Sink } from '../sink.ts'

/** The import of a dataset, caps lifted, gzip on, one lane, into a bare sink. */
export async function importRows(bench: Bench): Promise<Row[]> {
  const { plan } = bench
  const bodies = await record(bench, plan.import, (origin) => importInto(bench, plan.import, origin))
  const bare = await compared(bench, plan.import, {
    other: (origin) => runNode([compiled('contenders/undici-loop.ts'), origin, bodies]),
  })
  await rm(bodies)
  const client = await compared(bench, plan.client, { other: (origin) => library(bench, origin) })
  const batch = await compared(bench, plan.import, {
    other: (origin) => importInto(bench, plan.import, origin),
    via: 'v1',
  })
  return [
    row('a bare undici loop that posts the same bodies ready-made, gzip on', plan.import, bare, 0.6),
    row('the same by /batch/', plan.import, batch, 0.9, ' --via v1'),
    row('posthog-node with historicalMigration on', plan.client, client, 12),
  ]
}

/** Throws unless every contender sends the same events. The smoke test calls it too. */
export async function checkImports(bench: Bench): Promise<void> {
  const count = bench.plan.client
  const ours = await record(bench, count, (origin) => importInto(bench, count, origin))
  const expected = sentEvents(ours)
  const theirs = await record(bench, count, (origin) => library(bench, origin))
  sameSets('import and posthog-node', expected, sentEvents(theirs))
}

export async function importInto(
  bench: Bench,
  count: number,
  origin: string,
  via = 'batch',
): Promise<Sample> {
  const dataset = bench.path(datasetName(count))
  const args = ['import', '--dataset', dataset, '--approved', '--max-events-per-minute', '100000000']
  return runNode([POSTHAUL, ...args, '--restart', '--json', '--via', via], {
    POSTHOG_PROJECT_API_KEY: 'phc_bench',
    POSTHOG_INGEST_HOST: origin,
    POSTHOG_HOST: origin,
    XDG_STATE_HOME: bench.path('state'),
  })
}

function library(bench: Bench, origin: string): Promise<Sample> {
  return runNode([compiled('contenders/posthog-node.ts'), origin, bench.path(datasetName(bench.plan.client))])
}

function datasetName(count: number): string {
  return `dataset-${count}`
}

/** Runs a sender once against a sink that keeps what it is sent. */
async function record(
  bench: Bench,
  count: number,
  send: (origin: string) => Promise<Sample>,
): Promise<string> {
  await bench.transform('mixpanel', count, datasetName(count))
  const path = bench.path(`bodies-${performance.now()}`)
  const sink = await Sink.start(path)
  await send(sink.origin)
  await sink.stop()
  return path
}

type Samples = Record<'posthaul' | 'other', Sample[]>

async function compared(
  bench: Bench,
  count: number,
  { other, via }: { other: (origin: string) => Promise<Sample>; via?: string },
): Promise<Samples> {
  bench.say(`import of ${count.toLocaleString('en')} events`)
  await bench.transform('mixpanel', count, datasetName(count))
  const sink = await Sink.start()
  // The sink learns the answers of Capture V1.
  if (via === 'v1') await importInto(bench, count, sink.origin, via)
  const contenders = {
    other: () => other(sink.origin),
    posthaul: async () => {
      await sink.again()
      return importInto(bench, count, sink.origin, via)
    },
  }
  const samples = await interleaved(contenders, bench.plan.rounds)
  await sink.stop()
  return samples
}

function row(against: string, count: number, samples: Samples, atLeast: number, how = ''): Row {
  const seconds = (of: keyof Samples) => samples[of].map((sample) => sample.seconds)
  const rate = (of: keyof Samples) => `${(count / figure(seconds(of)).median / 1000).toFixed(1)}k/s`
  return {
    measured: `import${how} into a bare sink, 1 lane (${count.toLocaleString('en')} events)`,
    against,
    ratio: ratios(seconds('other'), seconds('posthaul')),
    target: { atLeast },
    detail: `${rate('posthaul')} to ${rate('other')}`,
  }
}
