/** A metric as Prometheus is told of it. */
interface Metric {
  readonly type: 'counter' | 'gauge'
  /** One line. The same in all files: node_exporter refuses a metric that two of them explain differently. */
  readonly help: string
}

const metric = (type: Metric['type'], help: string): Metric => ({ type, help })

/** All metrics, in the order in which a file has them. docs/unattended.md lists them. */
const METRICS = {
  posthaul_run_info: metric('gauge', 'The command and the version of posthaul, as labels.'),
  posthaul_run_active: metric('gauge', '1 while the run is at work, 0 after its end.'),
  posthaul_run_start_time_seconds: metric('gauge', 'Unix time at which the run began.'),
  posthaul_last_exit_code: metric('gauge', 'Exit code of the last run that ended.'),
  posthaul_last_success_timestamp_seconds: metric(
    'gauge',
    'Unix time at which a run last ended with exit code 0.',
  ),
  posthaul_last_delivery_timestamp_seconds: metric(
    'gauge',
    'Unix time at which the service was last seen to acknowledge events.',
  ),
  posthaul_lag_seconds: metric('gauge', 'Seconds since the service was last seen to acknowledge events.'),
  posthaul_stage: metric('gauge', '1 for the stage that is at work, 0 for those before it.'),
  posthaul_events_total: metric('counter', 'Events whose fate is known, by stage and fate.'),
  posthaul_events_pending: metric(
    'gauge',
    'Events that are left to the next run; of a file, those of them that were read.',
  ),
  posthaul_events_unconfirmed: metric(
    'gauge',
    'Written events of which Capture V1 did not say that they are stored.',
  ),
  posthaul_bytes_done: metric('gauge', 'Bytes of the input that are done.'),
  posthaul_bytes_expected: metric('gauge', 'Bytes of the input.'),
  posthaul_windows_done: metric('gauge', 'Windows of an export that are done.'),
  posthaul_windows_expected: metric('gauge', 'Windows of an export.'),
  posthaul_events_done: metric('gauge', 'Events that are looked at, of work that counts them.'),
  posthaul_events_expected: metric('gauge', 'Events of such work.'),
  posthaul_events_per_second: metric('gauge', 'Events a second over the last minute.'),
  posthaul_bytes_per_second: metric('gauge', 'Bytes of the input a second over the last minute.'),
  posthaul_seconds_left: metric('gauge', 'Seconds that the work at hand will take, as far as is known.'),
  posthaul_cap_events_per_minute: metric('gauge', 'Most events a minute that are sent.'),
  posthaul_cap_events: metric('gauge', 'Most events of the whole migration.'),
  posthaul_lanes: metric('gauge', 'Requests that may be under way at once.'),
  posthaul_retries_total: metric('counter', 'Tries that failed and were repeated in this run, by cause.'),
  posthaul_waits_total: metric('counter', 'Waits before a try was repeated in this run.'),
  posthaul_wait_seconds_total: metric('counter', 'Seconds of these waits.'),
} as const satisfies Readonly<Record<string, Metric>>

type MetricName = keyof typeof METRICS

/** One value of a metric. A metric has one for each set of labels. */
export interface MetricSample {
  readonly name: MetricName
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

/**
 * Samples in the text format of Prometheus, version 0.0.4, without times: node_exporter refuses those. `common`: labels that
 * every sample has.
 * https://prometheus.io/docs/instrumenting/exposition_formats/
 */
export function exposition(
  samples: readonly MetricSample[],
  common: Readonly<Record<string, string>>,
): string {
  const names = Object.keys(METRICS) as MetricName[]
  return names
    .map((name) => {
      const own = samples.filter((sample) => sample.name === name && Number.isFinite(sample.value))
      if (own.length === 0) return ''
      const { type, help } = METRICS[name]
      const lines = own.map(({ labels, value }) => `${name}${labelText({ ...common, ...labels })} ${value}\n`)
      return `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('')}`
    })
    .join('')
}

function labelText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
}

/** The value that an earlier file has for a metric without labels of its own; undefined if it has none. */
export function valueIn(text: string, name: MetricName): number | undefined {
  const found = new RegExp(`^${name}(?:\\{.*\\})? (\\d+(?:\\.\\d+)?)$`, 'm').exec(text)
  return found?.[1] === undefined ? undefined : Number(found[1])
}
