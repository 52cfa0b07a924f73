import { EXIT, type ExitCode } from '../errors.ts'
import { MS_PER_SECOND } from '../text/units.ts'
import { FATES, type StageBook } from './stage-book.ts'

/** What metrics say of a run. */
export interface RunStanding {
  /** In epoch milliseconds. */
  readonly startedAt: number
  /** Undefined while it is at work. */
  readonly code: ExitCode | undefined
  readonly book: StageBook
}

type Labels = Readonly<Record<string, string>>
type Value = readonly [labels: Labels, value: number]

/**
 * A run in the text format of Prometheus, version 0.0.4, without times: node_exporter refuses those, and a metric that two files
 * explain differently. `name`: of the run, a label of every sample. `earlier`: the text that the run before has left. What
 * outlives a run is taken from it where this run has none of its own. docs/unattended.md lists all metrics.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function metricsText(run: RunStanding, name: string, earlier: string): string {
  const { startedAt, code, book } = run
  let text = ''
  const add = (type: 'counter' | 'gauge', metric: string, help: string, values: readonly Value[]) => {
    if (values.length === 0) return
    text += `# HELP ${metric} ${help}\n# TYPE ${metric} ${type}\n`
    for (const [labels, value] of values) text += `${metric}${labelText({ run: name, ...labels })} ${value}\n`
  }
  const one = (metric: string, help: string, value: number | undefined) =>
    add('gauge', metric, help, value === undefined ? [] : [[{}, value]])
  const lasting = (metric: string, help: string, value: number | undefined) =>
    one(metric, help, value ?? valueIn(earlier, metric))
  const seconds = (ms: number | undefined) => ms && Math.round(ms) / MS_PER_SECOND

  one('posthaul_run_active', '1 while the run is at work, 0 after its end.', code === undefined ? 1 : 0)
  one('posthaul_run_start_time_seconds', 'Unix time at which the run began.', seconds(startedAt))
  lasting('posthaul_last_exit_code', 'Exit code of the last run that ended.', code)
  lasting(
    'posthaul_last_success_timestamp_seconds',
    'Unix time at which a run last ended with exit code 0.',
    code === EXIT.done ? seconds(Date.now()) : undefined,
  )
  const of = (fate: (typeof FATES)[number], labels: Labels = {}) =>
    book.stages.flatMap((stage): Value[] => {
      const value = book.events(stage)[fate]
      return value === undefined ? [] : [[{ stage, ...labels }, value]]
    })
  add(
    'counter',
    'posthaul_events_total',
    'Events whose fate is known, by stage and fate.',
    // A counter may not grow less, as what is pending does; what is unconfirmed is written.
    FATES.filter((fate) => fate !== 'pending' && fate !== 'unconfirmed').flatMap((fate) =>
      of(fate, { fate }),
    ),
  )
  add(
    'gauge',
    'posthaul_events_pending',
    'Events that are left to the next run; of a file, those of them that were read.',
    of('pending'),
  )
  return text
}

function labelText(labels: Labels): string {
  return `{${Object.entries(labels)
    .map(([name, value]) => `${name}="${value.replaceAll(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')}"`)
    .join(',')}}`
}

/** The value that an earlier file has for a metric without labels of its own; undefined if it has none. */
function valueIn(text: string, metric: string): number | undefined {
  const [, value] = new RegExp(`^${metric}\\{.*\\} (\\d+(?:\\.\\d+)?)$`, 'm').exec(text) ?? []
  return value === undefined ? undefined : Number(value)
}
