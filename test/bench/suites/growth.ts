import type { Bench } from '../bench.ts'
import { figure, type Row } from '../measure.ts'

/** Memory, and what a further record costs, in a small history and in a large one; one run of each. */
export async function growthRows(bench: Bench): Promise<Row[]> {
  const [small, middle, large] = bench.plan.growth
  const [few, more, many] = [
    await measured(bench, small),
    await measured(bench, middle),
    await measured(bench, large),
  ]
  const [before, after] = [
    ((more.cpu - few.cpu) / (middle - small)) * 1e6,
    ((many.cpu - more.cpu) / (large - middle)) * 1e6,
  ]
  const told = (size: number) => size.toLocaleString('en')
  return [
    {
      measured: `peak memory of transform, ${told(large)} Mixpanel records`,
      against: '300 MB',
      ratio: figure([many.megabytes / 300]),
      target: { atMost: 1 },
      detail: `${[few, more, many].map((one) => Math.round(one.megabytes)).join(', ')} MB with ${told(small)}, ${told(middle)}, ${told(large)}`,
    },
    {
      measured: `growth: processor time of each further record, ${told(middle)} to ${told(large)}`,
      against: `of each from ${told(small)} to ${told(middle)}`,
      ratio: figure([after / before]),
      target: { atMost: 1.15 },
      detail: `${after.toFixed(1)} to ${before.toFixed(1)} µs`,
    },
  ]
}

async function measured(bench: Bench, size: number) {
  bench.say(`transform of ${size.toLocaleString('en')} records, for memory and growth`)
  const sample = await bench.transform('mixpanel', size, 'growth')
  await bench.remove('growth')
  await bench.remove(`mixpanel-${size}.ndjson`)
  return sample
}
