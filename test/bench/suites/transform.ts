import { type Bench, hasPeers } from '../bench.ts'
import { digestOf, sameSets } from '../compare.ts'
import { HISTORIES, type HistoryName } from '../generate/history.ts'
import { figure, interleaved, type Row, ratios } from '../measure.ts'
import { compiled, POSTHAUL, runNode, type Sample } from '../process.ts'

const LOOP = {
  mixpanel: 'a loop of JSON.parse, rename six keys, JSON.stringify, write',
  amplitude: 'the same',
  csv: 'a loop of csv-parse to objects, JSON.stringify, write',
}
const TARGET = { mixpanel: 1.1, amplitude: 0.7, csv: 0.8 }

type Run = (count: number) => Promise<Sample>

/**
 * A transform by one thread against the loop that most people would write first, against mixpanel-import and, if it was asked for,
 * against another build. Processor time of what a large input has more than a small one, so that no start is in it.
 */
export async function transformRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const history of HISTORIES) rows.push(...(await rowsOf(bench, history)))
  return rows
}

async function rowsOf(bench: Bench, history: HistoryName): Promise<Row[]> {
  const { plan, other } = bench
  const isTable = history === 'csv'
  const sizes = plan.transform.map((size) => size.toLocaleString('en')).join(' to ')
  bench.say(`transform of ${sizes} records: ${history}`)
  const by =
    (out: string, program: string): Run =>
    (count) =>
      bench.transform(history, count, out, { program, more: ['--workers', '1'] })
  const loop = compiled(`contenders/${isTable ? 'table' : 'parse'}-loop.js`)
  const runs: Record<string, Run> = {
    loop: async (count) => runNode([loop, await bench.input(history, count), bench.path('loop')]),
    posthaul: by('posthaul', POSTHAUL),
    ...(other && { other: by('other', other.program) }),
  }
  const contenders = Object.entries(runs).map(([name, run]) => [name, () => further(run, plan.transform)])
  const samples = await interleaved<number, string>(Object.fromEntries(contenders), plan.rounds)
  const expected = await digestOf(bench.path('loop'), history)
  for (const name of ['posthaul', ...(other ? ['other'] : [])])
    sameSets(name, expected, await digestOf(bench.path(name), isTable ? 'rows' : 'events'))
  const row = (against: string, theirs: readonly number[], atMost: number): Row => ({
    measured: `transform, processor time of each further record (${history}, ${sizes})`,
    against,
    ratio: ratios(samples.posthaul!, theirs),
    target: { atMost },
    detail: `${figure(samples.posthaul!).median.toFixed(1)} to ${figure(theirs).median.toFixed(1)} µs`,
  })
  const rows = [row(LOOP[history], samples.loop!, TARGET[history])]
  if (history === 'amplitude' && hasPeers())
    rows.push(
      row("mixpanel-import's own transform, to a file", await byMixpanelImport(bench, runs.posthaul!), 0.1),
    )
  if (other) rows.push(row(`the build of ${other.commit}`, samples.other!, 1))
  return rows
}

/** Microseconds of the processor for each record that the larger input has more. */
async function further(run: Run, [few, many]: readonly [number, number]): Promise<number> {
  const small = await run(few)
  return (((await run(many)).cpu - small.cpu) / (many - few)) * 1e6
}

async function byMixpanelImport(bench: Bench, ours: Run): Promise<number[]> {
  const { slow, rounds } = bench.plan
  bench.say(`mixpanel-import of ${slow.map((size) => size.toLocaleString('en')).join(' to ')} records`)
  const out = bench.path('mixpanel-import')
  const theirs: Run = async (count) => {
    await bench.remove('mixpanel-import')
    return runNode([compiled('contenders/mixpanel-import.js'), await bench.input('amplitude', count), out])
  }
  const values: number[] = []
  for (let round = 0; round < rounds; round++) values.push(await further(theirs, slow))
  await ours(slow[1])
  const expected = await digestOf(bench.path('posthaul'), 'events')
  sameSets('mixpanel-import', expected, await digestOf(out, 'mixpanel-import'))
  return values
}
