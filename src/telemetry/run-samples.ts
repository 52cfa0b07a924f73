import { EXIT, type ExitCode } from '../errors.ts'
import { MS_PER_SECOND } from '../text/units.ts'
import { VERSION } from '../version.ts'
import type { MetricSample } from './exposition.ts'
import { FATES, type StageBook, type Work } from './stage-book.ts'

/** What metrics say of a run. */
interface RunStanding {
  readonly command: string
  /** In epoch milliseconds. */
  readonly startedAt: number
  /** Undefined while it is at work. */
  readonly code: ExitCode | undefined
  readonly book: StageBook
  /** Tries that were repeated, by cause. */
  readonly retries: ReadonlyMap<string, number>
  readonly waits: number
  readonly waitedMs: number
}

/** A run in numbers. */
export function samplesOf(run: RunStanding): MetricSample[] {
  const { command, startedAt, code, book } = run
  const labels = { command, version: VERSION }
  const deliveredAt = book.deliveredAt
  return [
    { name: 'posthaul_run_info', labels, value: 1 },
    { name: 'posthaul_run_active', value: code === undefined ? 1 : 0 },
    { name: 'posthaul_run_start_time_seconds', value: seconds(startedAt) },
    ...(code === undefined ? [] : [{ name: 'posthaul_last_exit_code' as const, value: code }]),
    ...known('posthaul_last_success_timestamp_seconds', code === EXIT.done ? seconds(Date.now()) : undefined),
    ...known('posthaul_last_delivery_timestamp_seconds', deliveredAt && seconds(deliveredAt)),
    ...book.stages.flatMap((stage) => stageSamples(stage, code, book)),
    ...book.works.flatMap(workSamples),
    ...limitSamples(book),
    ...waitSamples(run),
  ]
}

function stageSamples(stage: string, code: ExitCode | undefined, book: StageBook): MetricSample[] {
  const counts = book.events(stage)
  const isAtWork = stage === book.current && code === undefined
  return [
    { name: 'posthaul_stage', labels: { stage }, value: isAtWork ? 1 : 0 },
    ...FATES.flatMap((fate): MetricSample[] => {
      const value = counts[fate]
      if (value === undefined) return []
      // It grows less again, as no counter may.
      if (fate === 'pending') return [{ name: 'posthaul_events_pending', labels: { stage }, value }]
      if (fate === 'unconfirmed') return [{ name: 'posthaul_events_unconfirmed', labels: { stage }, value }]
      return [{ name: 'posthaul_events_total', labels: { stage, fate }, value }]
    }),
  ]
}

const UNITS = {
  bytes: ['posthaul_bytes_done', 'posthaul_bytes_expected'],
  windows: ['posthaul_windows_done', 'posthaul_windows_expected'],
  events: ['posthaul_events_done', 'posthaul_events_expected'],
} as const

function workSamples({ stage, work, at }: Work): MetricSample[] {
  const labels = { stage, work }
  const [done, expected] = UNITS[at.unit]
  return [
    { name: done, labels, value: at.done },
    { name: expected, labels, value: at.total },
    { name: 'posthaul_events_per_second', labels, value: rounded(at.eventsPerSecond) },
    { name: 'posthaul_bytes_per_second', labels, value: rounded(at.bytesPerSecond) },
    ...known('posthaul_seconds_left', at.secondsLeft && rounded(at.secondsLeft), labels),
  ]
}

function limitSamples({ limits }: StageBook): MetricSample[] {
  if (!limits) return []
  return [
    { name: 'posthaul_cap_events_per_minute', value: limits.eventsPerMinute },
    { name: 'posthaul_cap_events', value: limits.events },
    { name: 'posthaul_lanes', value: limits.lanes },
  ]
}

function waitSamples({ retries, waits, waitedMs }: RunStanding): MetricSample[] {
  return [
    ...[...retries].map(([cause, value]) => ({
      name: 'posthaul_retries_total' as const,
      labels: { cause },
      value,
    })),
    { name: 'posthaul_waits_total', value: waits },
    { name: 'posthaul_wait_seconds_total', value: waitedMs / MS_PER_SECOND },
  ]
}

function known(
  name: MetricSample['name'],
  value: number | undefined,
  labels?: MetricSample['labels'],
): MetricSample[] {
  return value === undefined ? [] : [{ name, value, ...(labels && { labels }) }]
}

function seconds(ms: number): number {
  return Math.round(ms) / MS_PER_SECOND
}

function rounded(value: number): number {
  return Number(value.toFixed(1))
}
