import { pathToFileURL } from 'node:url'
import type { Bench } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import type { HistoryName, Vendor } from '../generate/history.ts'
import { figure, interleaved, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode, type Sample } from '../process.ts'
import type { Row } from '../row.ts'

/** The whole transform against the loop that most people would write first, and against another build. */
export async function transformRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const history of bench.plan.histories) {
    rows.push(...(await wholeRows(bench, history)))
    if (history === 'mixpanel' || history === 'amplitude') rows.push(await memberCountRow(bench, history))
  }
  return rows
}

/** What it costs to account for every member, in processor time: the same build with and without it. */
async function memberCountRow(bench: Bench, vendor: Vendor): Promise<Row> {
  const count = Math.ceil(bench.plan.transform / 2)
  bench.say(`member counts of ${count.toLocaleString('en')} ${vendor} records`)
  const { folder, program } = bench.inModules(bench.builds[0]!)
  const node = ['--import', pathToFileURL(compiled('contenders/uncounted.ts')).href]
  const samples = await interleaved(
    {
      uncounted: () =>
        bench.transform(vendor, count, `uncounted-${vendor}`, {
          program,
          node,
          env: { POSTHAUL_MODULES: folder },
        }),
      counted: () => bench.transform(vendor, count, `counted-${vendor}`, { program }),
    },
    bench.plan.rounds * 2 - 1,
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

async function wholeRows(bench: Bench, history: HistoryName): Promise<Row[]> {
  const count = Math.ceil(bench.plan.transform / (history === 'mixpanel' ? 1 : 2))
  const input = await bench.input(history, count)
  const isTable = history === 'csv'
  const other = bench.builds[1]
  const program = compiled(`contenders/${isTable ? 'table' : 'parse'}-loop.ts`)
  bench.say(`transform of ${count.toLocaleString('en')} records: ${history}`)
  const contenders: Record<string, () => Promise<Sample>> = {
    loop: async () => {
      await bench.remove('loop')
      return runNode([program, input, bench.path('loop')])
    },
    posthaul: () => bench.transform(history, count, 'posthaul'),
    ...(other && { other: () => bench.transform(history, count, 'other', other) }),
  }
  const samples = await interleaved(contenders, bench.plan.rounds)
  const expected = await digestOf(bench.path('loop'), history.split(' ')[0]!)
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
    target: { atLeast: history.endsWith('wild') ? 1.2 : 2.4 },
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
