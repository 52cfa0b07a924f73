// npm run bench [-- --quick] [--transform] [--history <word>] [--against <folder>] [--json]: compares posthaul's speed with
// other programs. A full run writes results-transform.md and results.md; with --transform only the first of them. With
// --history it only transforms too, and only the histories with that word in their name, such as `varied`, and writes nothing.
// With --against it also transforms with the build of another checkout, in turn with this one.
// npm run bench -- --memory [--quick]: the peak memory of each kind of history that might make it grow, as docs/scale.md has it.
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench } from './bench.ts'
import { buildIn } from './build.ts'
import { BENCH, ROOT } from './paths.ts'
import { hasPeer, installPeers } from './peers.ts'
import { PLANS, type Plan } from './plan.ts'
import { machine, report, transformReport } from './report.ts'
import { isMet, markdown, type Row } from './row.ts'
import { directRow } from './suites/direct.ts'
import { exportRow } from './suites/export.ts'
import { helpRow } from './suites/help.ts'
import { checkImports, importRows } from './suites/import.ts'
import { memoryRows, memoryTable } from './suites/memory.ts'
import { scannerRows } from './suites/scanner.ts'
import { sizeRows } from './suites/size.ts'
import { type StageRow, stageRows, stageTable } from './suites/stages.ts'
import { togetherRow } from './suites/together.ts'
import { transformRows } from './suites/transform.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    smoke: { type: 'boolean' },
    json: { type: 'boolean' },
    transform: { type: 'boolean' },
    history: { type: 'string' },
    against: { type: 'string' },
    memory: { type: 'boolean' },
  },
})
const word = values.history
const whole: Plan = PLANS[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full']
const histories = whole.histories.filter((name) => word === undefined || name.includes(word))
if (histories.length === 0) throw new Error(`no history is called ${word}: ${whole.histories.join(', ')}`)
const plan: Plan = { ...whole, histories }
const say = (text: string) => void process.stderr.write(`${text}\n`)
const ours = buildIn(ROOT)
const builds = values.against === undefined ? [ours] : [ours, buildIn(values.against)]
const { commit } = ours

const bench = await Bench.open(plan, builds, say)
if (values.memory) {
  try {
    process.stdout.write(memoryTable(await memoryRows(bench), commit))
  } finally {
    await bench.close()
  }
  process.exit()
}

const rows: Row[] = []
const stages: StageRow[] = []
const others: Row[] = []
try {
  rows.push(...(await transformRows(bench)))
  for (const history of histories) {
    if (history.startsWith('mixpanel')) rows.push(await directRow(bench, history))
  }
  for (const history of histories) stages.push(...(await stageRows(bench, history)))
  if (word === undefined && !values.transform) others.push(...(await otherRows()))
} finally {
  await bench.close()
}

async function otherRows(): Promise<Row[]> {
  if (plan.name !== 'smoke') installPeers(say)
  const scanned = await scannerRows(bench)
  await checkImports(bench)
  const imported = await importRows(bench)
  const together = hasPeer('mixpanel-import') ? [await togetherRow(bench)] : []
  return [
    ...scanned,
    ...imported,
    ...together,
    await exportRow(bench),
    ...(await sizeRows(bench)),
    await helpRow(bench),
  ]
}

if (plan.name === 'full' && word === undefined) {
  await writeFile(join(BENCH, 'results-transform.md'), transformReport(rows, stages, plan, commit))
  if (!values.transform) await writeFile(join(BENCH, 'results.md'), report(others, plan, commit))
}
const told = {
  version: 1,
  plan: plan.name,
  ...machine(commit),
  rows: [...rows, ...others].map((row) => ({ ...row, met: isMet(row) })),
  stages,
}
process.stdout.write(
  values.json ? `${JSON.stringify(told)}\n` : `${markdown([...rows, ...others])}\n${stageTable(stages)}`,
)
