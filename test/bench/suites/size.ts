import type { Bench } from '../bench.ts'
import { figure } from '../measure.ts'
import type { Sample } from '../process.ts'
import type { Row } from '../row.ts'

/** Memory and the cost of one event from the smallest history to the largest: one run of the largest, which is long. */
export async function sizeRows(bench: Bench): Promise<Row[]> {
  const { sizes } = bench.plan
  const samples: Usual[] = []
  for (const size of sizes) {
    await bench.input('mixpanel', size)
    bench.say(`transform of ${size.toLocaleString('en')} records`)
    const runs: Sample[] = []
    const wanted = size === sizes.at(-1) ? 1 : bench.plan.rounds
    while (runs.length < wanted) runs.push(await bench.transform('mixpanel', size, 'events-size'))
    samples.push(medians(runs))
    await bench.remove('events-size')
    if (size > bench.plan.transform) await bench.remove(`mixpanel-${size}.ndjson`)
  }
  const count = (at: number) => sizes.at(at)!.toLocaleString('en')
  const megabytes = (at: number) => samples.at(at)!.megabytes
  const cost = (at: number) => (samples.at(at)!.seconds / sizes.at(at)!) * 1e6
  const alone = (value: number) => figure([value])
  return [
    {
      measured: `peak memory of transform, ${count(-1)} events`,
      against: `${count(-2)} events`,
      ratio: alone(megabytes(-1) / megabytes(-2)),
      target: { atMost: 1.1 },
      detail: samples.map((sample, at) => `${count(at)}: ${sample.megabytes.toFixed(0)} MB`).join('; '),
    },
    {
      measured: `peak memory of transform, ${count(-1)} events`,
      against: '300 MB',
      ratio: alone(megabytes(-1) / 300),
      target: { atMost: 1 },
      detail: `${megabytes(-1).toFixed(0)} MB`,
    },
    ...furtherRow(sizes, samples),
    {
      measured: `time an event, ${count(-1)} events`,
      against: `${count(0)} events`,
      ratio: alone(cost(-1) / cost(0)),
      target: { atLeast: 0.85, atMost: 1.15 },
      detail: samples.map((_, at) => `${count(at)}: ${cost(at).toFixed(1)} µs`).join('; '),
    },
  ]
}

type Usual = Pick<Sample, 'seconds' | 'megabytes'>

function medians(runs: readonly Sample[]): Usual {
  const median = (of: keyof Usual) => figure(runs.map((run) => run[of])).median
  return { seconds: median('seconds'), megabytes: median('megabytes') }
}

/** The cost of each further event after the start, in large histories and in small ones. It needs three sizes. */
function furtherRow(sizes: readonly number[], samples: readonly Usual[]): Row[] {
  const slope = (from: number, to: number) => {
    const seconds = samples[to]!.seconds - samples[from]!.seconds
    return (seconds / (sizes[to]! - sizes[from]!)) * 1e6
  }
  if (sizes.length < 3) return []
  const [few, many] = [slope(0, 1), slope(1, 2)]
  const count = (at: number) => sizes[at]!.toLocaleString('en')
  return [
    {
      measured: `time of each further event, ${count(1)} to ${count(2)} events`,
      against: `${count(0)} to ${count(1)} events`,
      ratio: figure([many / few]),
      target: { atLeast: 0.85, atMost: 1.15 },
      detail: `${few.toFixed(1)} µs; ${many.toFixed(1)} µs`,
    },
  ]
}
