// npm run bench [-- --quick] [--against <folder>] [--json]: compares posthaul's speed with other programs. A full run writes
// results.md. With --against it also transforms with the build of another checkout, in turn with this one.
import { writeFile } from 'node:fs/promises'
import { availableParallelism, cpus, totalmem } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Bench, buildIn, PLANS } from './bench.ts'
import { BENCH, ROOT } from './paths.ts'
import { isMet, markdown, type Row } from './row.ts'
import { exportRow } from './suites/export.ts'
import { helpRow } from './suites/help.ts'
import { importRow } from './suites/import.ts'
import { sizeRows } from './suites/size.ts'
import { transformRows } from './suites/transform.ts'
import { verifyRow } from './suites/verify.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean' },
    smoke: { type: 'boolean' },
    json: { type: 'boolean' },
    against: { type: 'string' },
  },
})
const plan = PLANS[values.smoke ? 'smoke' : values.quick ? 'quick' : 'full']
const { commit } = buildIn(ROOT)
const bench = await Bench.open(plan, values.against === undefined ? undefined : buildIn(values.against))
const rows: Row[] = []
try {
  rows.push(...(await transformRows(bench)), await importRow(bench), await exportRow(bench))
  rows.push(await verifyRow(bench), await helpRow(bench), ...(await sizeRows(bench)))
} finally {
  await bench.close()
}
if (plan.name === 'full') await writeFile(join(BENCH, 'results.md'), report())
const told = { version: 1, plan: plan.name, commit, rows: rows.map((row) => ({ ...row, met: isMet(row) })) }
process.stdout.write(values.json ? `${JSON.stringify(told)}\n` : markdown(rows))

function report(): string {
  const missed = rows.filter((row) => !isMet(row)).length
  const gibibytes = Math.round(totalmem() / 2 ** 30)
  return [
    '# How fast posthaul is',
    '',
    `Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, at ${commit}. Not edited by hand.`,
    '',
    `- Machine: ${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${gibibytes} GiB, Node ${process.version}`,
    `- ${plan.rounds} counted runs of each contender, in turn, after one that does not count; ratios are pair by pair.`,
    '- What each contender gives is compared first: the set of (uuid, event, timestamp).',
    `- ${missed === 0 ? 'Every target is met.' : `${missed} of ${rows.length} targets are missed.`}`,
    '',
    markdown(rows),
  ].join('\n')
}
