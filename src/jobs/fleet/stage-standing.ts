import { MS_PER_MINUTE, MS_PER_SECOND, type Stage } from '../../text/index.ts'
import type { TryRecord } from '../../transform/index.ts'
import type { FleetStatusResult } from './result.ts'

/** A try that has said nothing for so long is taken for dead: six beats. */
const SILENT_MS = 3 * MS_PER_MINUTE
/** Exit codes after which the same task may do better: pauses, and signals of a scheduler that takes a machine back. */
const WORTH_ANOTHER = [5, 7, 129, 130, 137, 143]

/** A task that is not done, and the last that is known of it. */
export interface OpenTask {
  readonly index: number
  readonly tries: number
  /** The records of its tries that have not ended, and of the last one that failed. */
  readonly running: readonly TryRecord[]
  readonly failed: TryRecord | undefined
}

/** So many failures and lost tasks of a stage are named. */
export const NAMED = 5

/** Where a stage is. Each of its tasks is counted once. */
export type StageStanding = NonNullable<FleetStatusResult['stages'][Stage]>
type FailedTask = StageStanding['errors'][number]
type DoneTask = NonNullable<StageStanding['slowest_done']>

/** A task that runs, or did: seconds and share are exact, as the time that is left is made of them. */
type RunningTask = NonNullable<StageStanding['slowest_running']>

export interface StageSeen {
  readonly tasks: number
  /** How long the tasks took that are done, where a try tells it. */
  readonly took: readonly DoneTask[]
  readonly done: number
  readonly open: readonly OpenTask[]
}

/** Judges what was seen of a stage at `now`, milliseconds since the epoch. */
export function standingOf({ tasks, took, done, open }: StageSeen, now: number): StageStanding {
  const running: RunningTask[] = []
  const lost: RunningTask[] = []
  const failed: FailedTask[] = []
  for (const task of open) {
    // Of doubled tries the one that speaks counts.
    const last = [...task.running].sort((a, b) => Date.parse(b.at) - Date.parse(a.at))[0]
    const error = task.failed?.error
    if (last && isAlive(last, now)) running.push(shown(last, now))
    else if (task.failed && error && isLater(task.failed, last)) {
      const for_good = !WORTH_ANOTHER.includes(error.exit)
      failed.push({ index: task.index, tries: task.tries, for_good, at: task.failed.at, ...error })
    } else if (last) lost.push(shown(last, now))
  }
  const slowest = <T extends { readonly seconds: number }>(list: readonly T[]) =>
    list.reduce<T | undefined>((most, one) => (most && most.seconds >= one.seconds ? most : one), undefined)
  const longest = slowest(running)
  const etaMs = etaOf(tasks - done, running, took)
  failed.sort((a, b) => Number(b.for_good) - Number(a.for_good) || (a.at < b.at ? 1 : -1))
  return {
    done,
    running: running.length,
    failed: failed.length,
    failed_for_good: failed.filter(({ for_good }) => for_good).length,
    lost: lost.length,
    waiting: tasks - done - running.length - failed.length - lost.length,
    slowest_running: longest ? whole(longest) : null,
    slowest_done: slowest(took) ?? null,
    seconds_left: etaMs === undefined ? null : Math.ceil(etaMs / MS_PER_SECOND),
    lost_tasks: lost.slice(0, NAMED).map(whole),
    errors: failed.slice(0, NAMED),
  }
}

function whole(task: RunningTask): RunningTask {
  return { ...task, seconds: Math.round(task.seconds) }
}

/** True if a try that has not ended said so lately, by the clock of its machine. */
export function isAlive({ at }: TryRecord, now: number): boolean {
  return now - Date.parse(at) <= SILENT_MS
}

function isLater(failed: TryRecord, other: TryRecord | undefined): boolean {
  return other === undefined || failed.started_at >= other.started_at
}

function shown({ index, host, started_at, bytes, of }: TryRecord, now: number): RunningTask {
  const seconds = Math.max(0, (now - Date.parse(started_at)) / MS_PER_SECOND)
  return { index, host, seconds, share: of > 0 ? Math.min(1, bytes / of) : null }
}

/**
 * The tasks that are left, in turns of as many as run now; a task takes as long as those that are done did on average, or
 * else as the share tells that the running ones have read. What runs has part of its time behind it.
 */
function etaOf(left: number, running: readonly RunningTask[], took: readonly DoneTask[]): number | undefined {
  if (left === 0) return 0
  if (running.length === 0) return undefined
  const told = running.filter(({ share }) => share).map(({ seconds, share }) => seconds / share!)
  const known = took.length > 0 ? took.map(({ seconds }) => seconds) : told
  if (known.length === 0) return undefined
  const each = known.reduce((sum, seconds) => sum + seconds, 0) / known.length
  const behind = running.reduce((sum, { seconds }) => sum + Math.min(seconds, each), 0)
  const work = Math.max(0, left * each - behind) / running.length
  // The one that is furthest from its end has to end too.
  const longest = Math.max(...running.map(({ seconds, share }) => restOf(seconds, share, each)))
  return Math.ceil(Math.max(work, longest) * MS_PER_SECOND)
}

function restOf(seconds: number, share: number | null, each: number): number {
  return share ? seconds / share - seconds : Math.max(0, each - seconds)
}
