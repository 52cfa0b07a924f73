import type { Command } from 'commander'
import { loadDuckDB } from '../../duckdb.ts'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Secret } from '../../http/secret.ts'
import type { Io } from '../../io.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS, windowsFrom } from '../../jobs/export/export-options.ts'
import { runExportCommand } from '../../jobs/export/run.ts'
import { openApi } from '../../jobs/import/api-session.ts'
import type { Values } from '../../options/row.ts'
import * as rows from '../../options/rows/export-rows.ts'
import type { Api } from '../../service/api.ts'
import { Groups } from '../../service/groups.ts'
import { ExportState } from '../../sources/export-state.ts'
import { NotOffered } from '../../sources/posthog/download-api.ts'
import { type DownloadOptions, downloadsOrder, firstDownload } from '../../sources/posthog/downloads.ts'
import { POSTHOG_LIMITS, posthogOrder } from '../../sources/posthog/posthog.ts'
import type { Order } from '../../sources/source.ts'
import { bearer } from '../../sources/vendor-client.ts'
import { posthogSource } from '../../sources/vendor-credentials.ts'
import { openStore } from '../../store/open.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../text/units.ts'
import { number, span } from '../../text/words.ts'
import { useReported } from '../reported.ts'

const POSTHOG_ROWS = [
  ...WHAT_ROWS,
  rows.EXPORT_VIA,
  rows.DOWNLOAD_FORMAT,
  rows.PERSONS,
  rows.GROUPS,
  {
    ...rows.WINDOW,
    default: '24h',
    help: "length of a query's window, 1h to 24h; split if it has too many events",
  },
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: number(POSTHOG_LIMITS.perHour) },
  // The service takes at most three queries at once. One is left for the project's own people.
  { ...rows.CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const

/** `export posthog`. */
export function configurePostHog(command: Command, io: Io, exit: (code: ExitCode) => void): void {
  command.description('events of another region or installation').addHelpText('after', HELP)
  useReported(command, POSTHOG_ROWS, io, exit, ({ values }) => run(values, io))
}

const HELP = `
Set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY (a
personal key with query:read, for --groups group:read too), or
POSTHOG_SOURCE_API_KEY_FILE. --via downloads and auto need the scopes
batch_export:write and batch_export:read besides; for a large project they are
faster, and the rows may count as exported rows of its plan.`

async function run(values: Values<typeof POSTHOG_ROWS>, io: Io): Promise<ExitCode> {
  const { host, projectId, key } = await posthogSource(io, values.baseUrl)
  const via = wayOf(values)
  if (values.format === 'parquet') await loadDuckDB('--format parquet needs')
  const now = Date.now()
  const api = values.groups ? apiOf(host, key, io) : undefined
  const options = {
    host,
    projectId,
    credentials: bearer(key),
    windows: windowsFrom(values, values.window, now - (now % MS_PER_DAY) + MS_PER_DAY),
    spanMs: values.window,
    persons: values.persons,
    groups: api && new Groups(api, projectId),
    limits: [
      { requests: values.requestsPerHour, perMs: MS_PER_HOUR },
      { requests: POSTHOG_LIMITS.perMinute, perMs: MS_PER_MINUTE },
    ],
    quietMs: values.timeout,
    clock: systemClock,
  }
  const order =
    via === 'query'
      ? posthogOrder(options)
      : await downloadsOrQuery(
          { ...options, format: values.format ?? 'jsonl', completing: via === 'auto', to: values.to },
          values,
          io,
        )
  if (values.persons && order.identity.via === 'downloads') say(io, PERSONS_BY_QUERY)
  try {
    return await runExportCommand(order, values, io)
  } finally {
    await api?.close()
  }
}

/** How events are fetched. Throws `usage` for options that contradict it. */
function wayOf({ via, format, noReconcile }: Values<typeof POSTHOG_ROWS>): 'query' | 'downloads' | 'auto' {
  if (via === 'query' && format !== undefined) {
    throw new PosthaulError('--format is for --via downloads and --via auto', {
      code: 'usage',
      hint: 'leave --format out: the query endpoint has one form',
    })
  }
  if (via === 'auto' && noReconcile) {
    throw new PosthaulError('--via auto needs the comparison that --no-reconcile leaves out', {
      code: 'usage',
      hint: 'leave --no-reconcile out, or say --via downloads',
    })
  }
  return via
}

/** The order by downloads; or by query, which is said, if the server makes none. A folder that holds an export goes on as it began. */
async function downloadsOrQuery(
  options: DownloadOptions,
  values: Values<typeof POSTHOG_ROWS>,
  io: Io,
): Promise<Order> {
  const order = downloadsOrder(options)
  if (values.dryRun) return order
  const store = await openStore(withEndpoint(values.out, values.endpoint))
  const begun = await ExportState.identityIn(store)
  if (begun?.via !== undefined) return order
  if (begun) {
    say(io, `${values.out} holds an export by the query endpoint, and goes on by it`)
    return posthogOrder(options)
  }
  try {
    const first = await firstDownload(options, {
      retryForMs: values.retryFor,
      clock: systemClock,
      random: Math.random,
      signal: io.interrupted,
      onRetry: (error, waitMs) => say(io, `${error.message}; trying again in ${span(waitMs)}`),
    })
    return downloadsOrder({ ...options, first })
  } catch (error) {
    if (!(error instanceof NotOffered)) throw error
    say(io, `this server makes no file downloads (${error.message}): by the query endpoint`)
    return posthogOrder(options)
  }
}

/** Why persons are not taken as files: docs/how-it-works.md says it in full. */
const PERSONS_BY_QUERY =
  "persons come by the query endpoint: a download of them doesn't tell which of their ids are deleted, and would have to " +
  'cover every week since the project began'

function say(io: Io, text: string): void {
  io.telemetry.note('export', text, 'warn')
}

/** The source's project API, which knows the names of its group types. */
function apiOf(host: string, personalKey: Secret, io: Io): Api {
  const settings = {
    origin: { value: host, from: 'POSTHOG_SOURCE_HOST', source: 'env' as const },
    personalKey,
    projectId: undefined,
  }
  return openApi(settings, io)
}
