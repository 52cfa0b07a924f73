import type { Bench } from '../bench.ts'
import { figure } from '../measure.ts'
import type { Row } from '../row.ts'

/** Memory and the cost of one event in a small history and in a large one; one run of the large one, which is long. */
export async function sizeRows(bench: Bench): Promise<Row[]> {
  const { sizes, rounds } = bench.plan
  const [few, many] = [await measured(bench, sizes[0], rounds), await measured(bench, sizes[1], 1)]
  const [small, large] = sizes.map((size) => `${size.toLocaleString('en')} events`)
  const megabytes = `${few.megabytes.toFixed(0)} MB to ${many.megabytes.toFixed(0)} MB`
  return [
    {
      measured: `peak memory of transform, ${large}`,
      against: '300 MB',
      ratio: figure([many.megabytes / 300]),
      target: { atMost: 1 },
      detail: `${many.megabytes.toFixed(0)} MB`,
    },
    {
      measured: `growth of that memory, from ${small}`,
      against: small!,
      ratio: figure([many.megabytes / few.megabytes]),
      target: { atMost: 1.1 },
      detail: megabytes,
    },
    {
      measured: `time an event, ${large}`,
      against: small!,
      ratio: figure([many.micros / few.micros]),
      target: { atMost: 1.15 },
      detail: `${few.micros.toFixed(1)} µs to ${many.micros.toFixed(1)} µs`,
    },
  ]
}

async function measured(bench: Bench, size: number, runs: number) {
  bench.say(`transform of ${size.toLocaleString('en')} records, for memory`)
  const [seconds, megabytes]: [number[], number[]] = [[], []]
  for (let run = 0; run < runs; run++) {
    const sample = await bench.transform('mixpanel', size, 'events-size')
    seconds.push(sample.seconds)
    megabytes.push(sample.megabytes)
  }
  await bench.remove('events-size')
  await bench.remove(`mixpanel-${size}.ndjson`)
  return { micros: (figure(seconds).median / size) * 1e6, megabytes: figure(megabytes).median }
}
