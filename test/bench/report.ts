import { availableParallelism, cpus, totalmem } from 'node:os'
import { peerVersion } from './peers.ts'
import type { Plan } from './plan.ts'
import { isMet, markdown, type Row } from './row.ts'
import { type StageRow, stageTable } from './suites/stages.ts'

/** The machine and the versions that the figures were measured with. */
export function machine(commit: string) {
  return {
    date: new Date().toISOString().slice(0, 10),
    commit,
    machine: `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: {
      node: process.version,
      undici: peerVersion('undici'),
      'posthog-node': peerVersion('posthog-node'),
      'mixpanel-import': peerVersion('mixpanel-import'),
    },
  }
}

/** The page of all but transforms. */
export function report(rows: readonly Row[], plan: Plan, commit: string): string {
  return [
    ...heading('How fast posthaul is', rows, plan, commit),
    'Transforms have [a page of their own](results-transform.md).',
    '',
    markdown(rows),
  ].join('\n')
}

/** The page of transforms: each history, whole and by stage. */
export function transformReport(
  rows: readonly Row[],
  stages: readonly StageRow[],
  plan: Plan,
  commit: string,
): string {
  return [
    ...heading('How fast a transform is', rows, plan, commit),
    markdown(rows),
    '## Where a transform spends its time',
    '',
    'Shares of a profile, of the processor time of runs without one. `varied` histories have 1,700 shapes of records, ten of',
    'them 60% of the records; `wild` ones have 40,000, none more frequent than another. The last column says how many records',
    'had a shape that was remembered.',
    '',
    stageTable(stages),
  ].join('\n')
}

function heading(title: string, rows: readonly Row[], plan: Plan, commit: string): string[] {
  const { date, machine: where, versions } = machine(commit)
  const missed = rows.filter((row) => !isMet(row)).length
  const using = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return [
    `# ${title}`,
    '',
    `Written by \`npm run bench\` on ${date}, at ${commit}. Not edited by hand.`,
    '',
    `- Machine: ${where}`,
    `- With: ${using.join(', ')}`,
    `- ${plan.rounds} counted runs of each contender, in turn, after one that does not count; ratios are pair by pair.`,
    '- What each contender gives is compared first: the set of (uuid, event, timestamp).',
    `- ${missed === 0 ? 'Every target is met.' : `${missed} of ${rows.length} targets are missed.`}`,
    '',
  ]
}
