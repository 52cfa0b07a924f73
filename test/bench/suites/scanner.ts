import type { Bench } from '../bench.ts'
import { figure, ratios } from '../measure.ts'
import { compiled } from '../paths.ts'
import { runNode } from '../process.ts'
import type { Row } from '../row.ts'

interface Told {
  readonly lines: number
  readonly seconds: Readonly<Record<'scan' | 'parseBytes' | 'parseText', number[]>>
}

/** The record scanner against JSON.parse, in one process each, processor time of one thread. */
export async function scannerRows(bench: Bench): Promise<Row[]> {
  const rows: Row[] = []
  for (const vendor of ['mixpanel', 'amplitude'] as const) {
    const input = await bench.input(vendor, bench.plan.scan)
    bench.say(`scanner on ${vendor} records`)
    const { stdout } = await runNode([compiled('contenders/scan.ts'), input, String(bench.plan.rounds * 4)])
    const { lines, seconds } = JSON.parse(stdout) as Told
    const each = (side: keyof Told['seconds']) =>
      `${((figure(seconds[side]).median / lines) * 1e6).toFixed(2)} µs`
    const row = (against: string, side: 'parseBytes' | 'parseText'): Row => ({
      measured: `record scanner, 1 core (${vendor})`,
      against,
      ratio: ratios(seconds[side], seconds.scan),
      target: { atLeast: 2 },
      detail: `${each('scan')} a record to ${each(side)}`,
    })
    rows.push(row('JSON.parse of the same lines, from bytes', 'parseBytes'))
    rows.push(row('JSON.parse of the same lines, decoded beforehand', 'parseText'))
  }
  return rows
}
