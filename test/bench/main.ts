// npm run bench [-- --quick] [--write] [--against <folder>] [--json]: compares posthaul's speed with other programs. With --write it
// writes results.md. With --against it also transforms with the build of another checkout, in turn with this one.
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench, buildIn, hasPeers, installPeers, PLANS } from './bench.ts'
import { isMet, markdown, type Row } from './measure.ts'
import { ROOT } from './process.ts'
import { exportRow } from './suites/export.ts'
import { growthRows } from './suites/growth.ts'
import { importRows } from './suites/import.ts'
import { startRows } from './suites/start.ts'
import { transformRows } from './suites/transform.ts'
import { verifyRow } from './suites/verify.ts'

/** What follows in results.md is written by hand. */
const LIMITS = '## What stands in the way'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    smoke: { type: 'boolean' },
    write: { type: 'boolean' },
    json: { type: 'boolean' },
    against: { type: 'string' },
  },
})
const plan = PLANS[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full']
const { commit } = buildIn(ROOT)
if (plan.name !== 'smoke' && !hasPeers()) installPeers()
const loads = [load()]
const started = performance.now()
const bench = new Bench(plan, values.against === undefined ? undefined : buildIn(values.against))
const rows: Row[] = []
try {
  for (const suite of [transformRows, importRows, exportRow, verifyRow, startRows, growthRows]) {
    rows.push(...[await suite(bench)].flat())
    loads.push(load())
  }
} finally {
  await bench.close()
}
if (values.write) {
  const page = join(ROOT, 'test/bench/results.md')
  const [, limits = ''] = readFileSync(page, 'utf8').split(LIMITS)
  writeFileSync(page, `${report()}\n${LIMITS}${limits}`)
}
const told = { version: 1, plan: plan.name, commit, rows: rows.map((row) => ({ ...row, met: isMet(row) })) }
process.stdout.write(values.json ? `${JSON.stringify(told)}\n` : markdown(rows))

/** How many programs wanted the processor in the last minute. */
function load(): string {
  return loadavg()[0]!.toFixed(1)
}

function report(): string {
  const missed = rows.filter((row) => !isMet(row)).length
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  const minutes = ((performance.now() - started) / 60_000).toFixed(0)
  return [
    '# How fast posthaul is',
    '',
    `Written by \`npm run bench${plan.name === 'full' ? '' : ` -- --${plan.name}`}\` on ${new Date().toISOString().slice(0, 10)}, at ${commit}, in ${minutes} minutes.`,
    '',
    `- Machine: ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gibibytes} GiB, Node ${process.version}. Its load, before`,
    `  the first row and after each kind of row: ${loads.join(', ')}. Less than 1 is a machine that does nothing else before.`,
    `- ${plan.rounds} runs of each contender, in turn; ratios are pair by pair.`,
    '- What each contender gives is compared first: the set of (uuid, event, timestamp).',
    `- ${missed === 0 ? 'Every target is met.' : `${missed} of ${rows.length} targets are missed.`}`,
    '',
    markdown(rows),
  ].join('\n')
}
