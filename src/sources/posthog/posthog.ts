import type { Groups } from '../../service/groups.ts'
import { MS_PER_HOUR } from '../../text/units.ts'
import { number, plural } from '../../text/words.ts'
import type { ExportIdentity, ExportOrder, ExportPiece, QuotaMemory, VendorCall } from '../source.ts'
import { type Credentials, keptLimiter, type PacedWindows, VendorClient } from '../vendor-client.ts'
import { emptinessOf } from './empty-days.ts'
import { exportEvents } from './events.ts'
import { exportGroups } from './groups.ts'
import { PersonColumn, personState } from './person-column.ts'
import { exportPersons } from './persons.ts'
import { queryPath } from './query.ts'
import { POSTHOG_COUNTED, posthogReport } from './report.ts'

/** Events arrive for a while after they happened, from phones that were offline and through the pipeline. */
export const LATE_MS = 24 * MS_PER_HOUR

/** Days are counted before so many windows are fetched: of fewer, the counts would save nothing. */
const LEAST_COUNTED = 8

export interface PostHogOptions extends PacedWindows {
  readonly host: string
  readonly projectId: string
  readonly credentials: Credentials
  readonly spanMs: number
  readonly persons: boolean
  /** The project's groups; undefined if they are not exported. */
  readonly groups: Groups | undefined
}

/** An export of a project of the service, by the query endpoint. */
export function posthogOrder(options: PostHogOptions): ExportOrder {
  return {
    preset: 'posthog',
    identity: posthogIdentity(options),
    open: (memory) => {
      const { windows, snapshots, personState, ...rest } = openQueries(options, memory)
      return { pieces: [...windows, ...snapshots], personState: (call) => personState(call, true), ...rest }
    },
  }
}

/** What tells an export of one project from another's. */
export function posthogIdentity({ host, projectId, spanMs }: PostHogOptions): ExportIdentity {
  return { vendor: 'posthog', host, project: projectId, window: `${spanMs / MS_PER_HOUR}h` }
}

/**
 * All that the query endpoint gives: `windows` are the events, a piece a window of their own time, `snapshots` persons and
 * groups as they are now.
 */
export function openQueries(options: PostHogOptions, memory: QuotaMemory) {
  const { host, projectId, credentials, quietMs, persons, groups } = options
  const limiter = keptLimiter(memory, 'query', options)
  const client = new VendorClient({ vendor: 'PostHog', origin: host, credentials, limiter, quietMs })
  const path = queryPath(projectId)
  const place = { client, path }
  const person = new PersonColumn()
  const windows = options.windows.map((window): ExportPiece => {
    return {
      name: window.name,
      asks: `POST ${host}${path} events of ${window.name}`,
      finalAt: window.end + LATE_MS,
      events: { span: window, by: POSTHOG_COUNTED },
      async *fetch(call) {
        yield* exportEvents({ ...place, person }, window, call)
      },
    }
  })
  const foresee = async (pieces: readonly ExportPiece[], call: VendorCall) => {
    const now = options.clock.wall()
    // Those to which events are still added are asked for in their turn, which is the last.
    const ofQuery = new Set(windows)
    const final = pieces.filter((piece) => ofQuery.has(piece) && piece.finalAt <= now)
    if (final.length < LEAST_COUNTED) return []
    const span = { start: final[0]!.events!.span.start, end: final.at(-1)!.events!.span.end }
    const isEmpty = await emptinessOf(place, span, call)
    const empty = final.filter((piece) => isEmpty(piece.events!.span))
    if (empty.length > 0) {
      const windows = `${number(empty.length)} of ${plural(final.length, 'window')}`
      call.note(`${windows} are empty by PostHog's own count of days: they are not asked for one by one`)
    }
    return empty
  }
  const snapshots: ExportPiece[] = []
  const snapshot = (name: string, fetch: ExportPiece['fetch']) => {
    snapshots.push({ name, asks: `POST ${host}${path} ${name}`, finalAt: 0, fetch })
  }
  if (persons) snapshot('persons', (call) => exportPersons(place, call))
  if (groups) snapshot('groups', () => exportGroups(groups))
  return {
    windows,
    snapshots,
    report: posthogReport(place),
    /** `byQuery`: all events come by query, which gives no more of persons than the server's columns have. */
    personState: (call: Pick<VendorCall, 'signal'>, byQuery: boolean) =>
      personState({ ...place, person }, { windows: options.windows, persons, byQuery }, call),
    ...{ limiter, foresee },
    close: () => client.close(),
  }
}
