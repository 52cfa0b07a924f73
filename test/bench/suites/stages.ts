import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.ts'
import type { Build } from '../build.ts'
import type { HistoryName } from '../generate/history.ts'
import { figure, interleaved } from '../measure.ts'

/** The stages of a transform, in the order of the table. */
export const STAGES = [
  'read',
  'scan',
  'walk',
  'build',
  'observations',
  'runs',
  'seal',
  'collecting',
  'other',
] as const

type Stage = (typeof STAGES)[number]

/** Processor time of a transform by one worker, in microseconds an event, in all and by stage. */
export interface StageRow {
  readonly history: HistoryName
  /** Its commit. */
  readonly build: string
  readonly events: number
  readonly all: number
  readonly by: Readonly<Record<Stage, number>>
}

/** A function belongs to the first of these that its file's path contains, or else to the stage of its caller. */
export const PLACES: ReadonlyArray<readonly [string, Stage]> = [
  ['/record/scan.', 'scan'],
  ['/record/tape.', 'scan'],
  ['/record/keys.', 'scan'],
  ['/mapping/walk.', 'walk'],
  ['/mapping/', 'build'],
  ['/transform/observations.', 'observations'],
  ['/transform/observation-file.', 'observations'],
  ['/transform/gather.', 'observations'],
  ['/transform/generate.', 'observations'],
  ['/transform/run/merge.', 'seal'],
  ['/transform/run/reader.', 'seal'],
  ['/transform/run/line-copy.', 'seal'],
  ['/transform/run/', 'runs'],
  ['/transform/seal/', 'seal'],
  ['/inputs/', 'read'],
  ['/csv-parse/', 'read'],
  ['/record/lines.', 'read'],
]

interface Profile {
  readonly nodes: ReadonlyArray<{
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string }
    readonly children?: readonly number[]
  }>
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

/**
 * A row for each build. The share of each stage is from a profile; the time that is shared out is that of runs without one,
 * since profiling itself takes time.
 */
export async function stageRows(bench: Bench, history: HistoryName): Promise<StageRow[]> {
  const events = bench.plan.stages
  const [out, profiles] = ['events-stages', 'profiles']
  const profiling = ['--cpu-prof', `--cpu-prof-dir=${bench.path(profiles)}`]
  const run = ({ program }: Build, node: readonly string[] = []) =>
    bench.transform(history, events, out, { program, node, options: ['--workers', '1'] })
  bench.say(`stages of a transform: ${history}`)
  const samples = await interleaved(
    Object.fromEntries(bench.builds.map((build, at) => [at, () => run(build)])),
    bench.plan.rounds,
  )
  const rows: StageRow[] = []
  for (const [at, build] of bench.builds.entries()) {
    await run(bench.inModules(build), profiling)
    const spent = spentOn(bench.path(profiles))
    const sum = STAGES.reduce((whole, stage) => whole + spent[stage], 0)
    const all = (figure(samples[at]!.map(({ cpu }) => cpu)).median / events) * 1e6
    const by = Object.fromEntries(STAGES.map((stage) => [stage, (spent[stage] / sum) * all]))
    rows.push({ history, build: build.commit, events, all, by: by as Record<Stage, number> })
    await bench.remove(profiles)
  }
  await bench.remove(out)
  return rows
}

/** Microseconds of each stage in all threads' profiles of a folder. */
function spentOn(folder: string): Record<Stage, number> {
  const spent = Object.fromEntries(STAGES.map((stage) => [stage, 0])) as Record<Stage, number>
  for (const name of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Profile
    const stages = stagesOf(profile)
    profile.samples.forEach((id, at) => {
      const stage = stages.get(id)
      if (stage !== undefined) spent[stage] += profile.timeDeltas[at]!
    })
  }
  return spent
}

/** The stage of each node of a profile; none of an idle one. */
function stagesOf({ nodes }: Profile): Map<number, Stage> {
  const stages = new Map<number, Stage>()
  const inherited = new Map<number, Stage>()
  // Callers come before those they call.
  for (const { id, callFrame, children } of nodes) {
    const own = PLACES.find(([place]) => callFrame.url.includes(place))?.[1]
    const stage =
      callFrame.functionName === '(garbage collector)' ? 'collecting' : (own ?? inherited.get(id) ?? 'other')
    if (callFrame.functionName !== '(idle)') stages.set(id, stage)
    for (const child of children ?? []) inherited.set(child, stage)
  }
  return stages
}

/** The rows as a Markdown table. */
export function stageTable(rows: readonly StageRow[]): string {
  return [
    `| CPU µs an event, 1 worker | build | all | ${STAGES.join(' | ')} |`,
    `|---|---|---|${STAGES.map(() => '---|').join('')}`,
    ...rows.map(({ history, build, events, all, by }) => {
      const cells = [all, ...STAGES.map((stage) => by[stage])].map((value) => value.toFixed(1))
      return `| ${history}, ${events.toLocaleString('en')} events | ${build} | ${cells.join(' | ')} |`
    }),
    '',
  ].join('\n')
}
