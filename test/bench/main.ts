// npm run bench [-- --quick] [--json]: compares posthaul's speed with other programs. A full run writes results.md.
// npm run bench -- --fleet [--quick]: what the tasks of a fleet cost. A full run writes results-fleet.md.
// npm run bench -- --fleet-simulation: plans made-up histories of 10 and 100 billion events, and prints what they take.
import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench } from './bench.ts'
import { benchFleet } from './fleet/fleet.ts'
import { simulation } from './fleet/simulation.ts'
import { BENCH } from './paths.ts'
import { hasPeer, installPeers } from './peers.ts'
import { PLANS, type Plan } from './plan.ts'
import { machine, report } from './report.ts'
import { isMet, markdown, type Row } from './row.ts'
import { exportRow } from './suites/export.ts'
import { helpRow } from './suites/help.ts'
import { checkImports, importRows } from './suites/import.ts'
import { scannerRows } from './suites/scanner.ts'
import { sizeRows } from './suites/size.ts'
import { togetherRow } from './suites/together.ts'
import { transformRows } from './suites/transform.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    smoke: { type: 'boolean' },
    json: { type: 'boolean' },
    fleet: { type: 'boolean' },
    'fleet-simulation': { type: 'boolean' },
  },
})
if (values['fleet-simulation']) {
  process.stdout.write(simulation())
  process.exit()
}
const plan: Plan = PLANS[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full']
const say = (text: string) => void process.stderr.write(`${text}\n`)

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: BENCH, encoding: 'utf8' }).trim()

if (values.fleet) {
  const bench = await Bench.open(plan, say)
  try {
    process.stdout.write(await benchFleet(bench, commit))
  } finally {
    await bench.close()
  }
  process.exit()
}

if (plan.name !== 'smoke') installPeers(say)
const bench = await Bench.open(plan, say)
const rows: Row[] = []
try {
  rows.push(...(await transformRows(bench)))
  rows.push(...(await scannerRows(bench)))
  await checkImports(bench)
  rows.push(...(await importRows(bench)))
  if (hasPeer('mixpanel-import')) rows.push(await togetherRow(bench))
  rows.push(await exportRow(bench), ...(await sizeRows(bench)), await helpRow(bench))
} finally {
  await bench.close()
}

if (plan.name === 'full') await writeFile(join(BENCH, 'results.md'), report(rows, plan, commit))
const told = {
  version: 1,
  plan: plan.name,
  ...machine(commit),
  rows: rows.map((row) => ({ ...row, met: isMet(row) })),
}
process.stdout.write(values.json ? `${JSON.stringify(told)}\n` : markdown(rows))
