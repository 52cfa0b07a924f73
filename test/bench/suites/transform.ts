import type { Bench } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import type { HistoryName } from '../generate/history.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode, type Sample } from '../process.ts'
import type { Row } from '../row.ts'

/** The whole transform against the loop that most people would write first, and against another build. */
export async function transformRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const history of bench.plan.histories) rows.push(...(await wholeRows(bench, history)))
  return rows
}

async function wholeRows(bench: Bench, history: HistoryName): Promise<Row[]> {
  const count = Math.ceil(bench.plan.transform / (history === 'mixpanel' ? 1 : 2))
  const input = await bench.input(history, count)
  const isTable = history === 'csv'
  const { other } = bench
  const program = compiled(`contenders/${isTable ? 'table' : 'parse'}-loop.ts`)
  bench.say(`transform of ${count.toLocaleString('en')} records: ${history}`)
  const contenders: Record<string, () => Promise<Sample>> = {
    loop: async () => {
      await bench.remove('loop')
      return runNode([program, input, bench.path('loop')])
    },
    posthaul: () => bench.transform(history, count, 'posthaul'),
    ...(other && { other: () => bench.transform(history, count, 'other', other.program) }),
  }
  const samples = await interleaved(contenders, bench.plan.rounds)
  const expected = await digestOf(bench.path('loop'), history)
  const form = isTable ? 'rows' : 'events'
  for (const name of Object.keys(contenders)) {
    if (name !== 'loop') sameSets(`transform of ${history}`, expected, await digestOf(bench.path(name), form))
    await bench.remove(name)
  }
  const of = (name: string, what: 'seconds' | 'cpu') => samples[name]!.map((sample) => sample[what])
  const rate = (name: string) => Math.round(count / figure(of(name, 'seconds')).median / 1000)
  const each = (name: string) => ((figure(of(name, 'cpu')).median / count) * 1e6).toFixed(1)
  const detail = (name: string) =>
    `${rate('posthaul')}k/s to ${rate(name)}k/s; CPU ${each('posthaul')} to ${each(name)} µs an event`
  const events = `${history}, ${count.toLocaleString('en')} events`
  const row: Row = {
    measured: `transform, whole, 2 workers (${events})`,
    against: isTable
      ? 'csv-parse to objects, JSON.stringify, write; 1 thread'
      : 'line split, JSON.parse, rename six keys, JSON.stringify, write; 1 thread',
    ratio: ratios(of('loop', 'seconds'), of('posthaul', 'seconds')),
    target: { atLeast: 2.4 },
    detail: detail('loop'),
  }
  if (other === undefined) return [row]
  const change: Row = {
    measured: `processor time of a transform, 2 workers (${events})`,
    against: `the build of ${other.commit}`,
    ratio: ratios(of('posthaul', 'cpu'), of('other', 'cpu')),
    target: { atMost: 1 },
    detail: detail('other'),
  }
  return [row, change]
}
