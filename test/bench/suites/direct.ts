import type { Bench } from '../bench.ts'
import { sentEvents } from '../bodies.ts'
import { sameSets } from '../compare.ts'
import type { HistoryName } from '../generate/history.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode, type Sample } from '../process.ts'
import type { Row } from '../row.ts'
import { Sink } from '../sink.ts'
import { importInto } from './import.ts'

/** From the raw file to the last acknowledged event: transform and import, against one thread that does all of it. */
export async function directRow(bench: Bench, history: HistoryName): Promise<Row> {
  const count = bench.plan.direct
  const input = await bench.input(history, count)
  const ours = async (origin: string) => {
    const transform = await bench.transform(history, count, `dataset-${count}`)
    return both(transform, await importInto(bench, count, origin))
  }
  const theirs = (origin: string) => runNode([compiled('contenders/one-thread.ts'), origin, input])
  bench.say(`raw file to acknowledged, ${count.toLocaleString('en')} records: ${history}`)
  sameSets(`raw ${history} to acknowledged`, await sentBy(bench, theirs), await sentBy(bench, ours))
  const sink = await Sink.start()
  const samples = await interleaved(
    { other: () => theirs(sink.origin), posthaul: () => ours(sink.origin) },
    bench.plan.rounds,
  )
  await sink.stop()
  await bench.remove(`dataset-${count}`)
  const of = (name: keyof typeof samples, what: 'seconds' | 'cpu') =>
    samples[name].map((sample) => sample[what])
  const rate = (name: keyof typeof samples) =>
    `${(count / figure(of(name, 'seconds')).median / 1000).toFixed(1)}k/s`
  const each = (name: keyof typeof samples) => ((figure(of(name, 'cpu')).median / count) * 1e6).toFixed(1)
  return {
    measured: `raw file to acknowledged, transform and import (${history}, ${count.toLocaleString('en')} events)`,
    against: "one thread that parses, maps and posts with gzip, in mp2ph's way",
    ratio: ratios(of('other', 'seconds'), of('posthaul', 'seconds')),
    target: { atLeast: 1 },
    detail: `${rate('posthaul')} to ${rate('other')}; CPU ${each('posthaul')} to ${each('other')} µs an event`,
  }
}

function both(one: Sample, other: Sample): Pick<Sample, 'seconds' | 'cpu'> {
  return { seconds: one.seconds + other.seconds, cpu: one.cpu + other.cpu }
}

/** What a contender sends, once, to a sink that keeps it. */
async function sentBy(bench: Bench, send: (origin: string) => Promise<unknown>): Promise<Set<string>> {
  const sink = await Sink.start(bench.path('bodies-direct'))
  await send(sink.origin)
  await sink.stop()
  const sent = sentEvents(bench.path('bodies-direct'))
  await bench.remove('bodies-direct')
  return sent
}
