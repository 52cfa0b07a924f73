import { deliver as send } from '../commands/import/deliver.ts'
import type { ImportResult } from '../commands/import/result.ts'
import { notesIn } from '../commands/notes-json.ts'
import type { InputSource } from '../delivery/intake.ts'
import { type ErrorCode, PosthaulError } from '../errors.ts'
import { type CallOptions, hostOf, type ServiceOptions } from '../host.ts'
import { IMPORT_ROWS } from '../imports/import-options.ts'
import { type ImportOrder, importOrder } from '../imports/import-order.ts'
import { givenOptions } from '../options/given.ts'
import { ingestSettings } from '../options/service-settings.ts'
import type { Counts } from '../record/counts.ts'
import type { Notes } from '../record/notes.ts'
import { Rejects } from './rejects.ts'
import { partKeys } from './service.ts'

/** How events are sent. Each is the option of `posthaul import` of that name, with its default. */
export interface DeliveryOptions extends ServiceOptions, CallOptions {
  /** The rate cap; above 10,000 only with `approved`. */
  readonly maxEventsPerMinute?: number | undefined
  /** The volume cap of the whole migration; above 20,000,000 only with `approved`. */
  readonly maxEvents?: number | undefined
  /** The service's team has approved the caps. */
  readonly approved?: boolean | undefined
  /** Requests under way at once; the events of one distinct id share a lane. */
  readonly lanes?: number | undefined
  readonly batchEvents?: number | undefined
  readonly via?: 'batch' | 'v1' | undefined
  /** How long failures in a row are retried: `1h30m`. */
  readonly retryFor?: string | undefined
  /** How long requests under way are waited for after `signal`: `10s`. */
  readonly drain?: string | undefined
  readonly arrivalWait?: string | undefined
  /** The codes of findings with which it goes on: docs/findings.md. */
  readonly accept?: readonly string[] | undefined
  readonly keepPersons?: 'yes' | 'no' | undefined
  /** Wait while another import draws on the project's rate cap. */
  readonly wait?: boolean | undefined
  /** A folder or `s3://bucket/prefix` that keeps the state. */
  readonly state?: string | undefined
}

/** What is imported: a dataset that `transform` wrote, or files of events, one JSON object a line. */
export type ImportSource = { readonly dataset: string } | { readonly files: readonly string[] }

/** How an import is run besides. */
export interface ImportOptions extends DeliveryOptions {
  readonly checkpoint?: string | undefined
  readonly restart?: boolean | undefined
  readonly newMigration?: boolean | undefined
  /** The fingerprint of the key that the project key replaced in the same project, as the refusal names it. */
  readonly replacesKey?: string | undefined
  /** Stop after this time, as a cron job must: `55m`. The outcome is then not `finished`. */
  readonly stopAfter?: string | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
}

/** What became of all events of an import, over all its runs. */
export interface ImportOutcome {
  /** Where each record is: `read` is the sum of the others. */
  readonly counts: Counts
  /** True if that sum holds. */
  readonly conserved: boolean
  /** False if `stopAfter` ended the run before its input. */
  readonly finished: boolean
  /** Events that this run delivered. */
  readonly deliveredNow: number
  /** Records that this run rejected. */
  readonly rejectedNow: number
  /** Events that the import made itself: apart from the counts. */
  readonly ownEvents: number
  /** Delivered events so young (under 48 hours) that the service may bill them as live ones. */
  readonly youngEvents: number
  /** Rejects by reason. */
  readonly reasons: Readonly<Record<string, number>>
  /** Records left out on purpose, by reason. */
  readonly filtered: Readonly<Record<string, number>>
  /** What was mended or noticed on the way, counted. */
  readonly notes: Omit<Notes, 'import_ids'>
  readonly rejects: Rejects
}

/** An import that ended before its input did. Its state is saved: the same call goes on. */
export class ImportStopped extends PosthaulError {
  readonly outcome: ImportOutcome

  constructor(cause: PosthaulError, outcome: ImportOutcome) {
    const { code, fate, hint, lines, waitMs } = cause
    super(cause.message, {
      code: code satisfies ErrorCode,
      fate,
      lines,
      cause,
      ...(hint !== undefined && { hint }),
      ...(waitMs !== undefined && { waitMs }),
    })
    this.outcome = outcome
  }
}

/**
 * Sends events, by the code of `posthaul import`: resumable, under the caps. Resolves when the input is delivered, or
 * `stopAfter` is over. Rejects with a PosthaulError: before the first event with what is wrong, later with an ImportStopped.
 */
export async function importEvents(source: ImportSource, options: ImportOptions): Promise<ImportOutcome> {
  return deliver(source, options)
}

/**
 * The same, of an input that `open` opens.
 * @internal
 */
export async function deliver(
  source: ImportSource,
  options: ImportOptions,
  open?: (order: ImportOrder) => Promise<InputSource>,
): Promise<ImportOutcome> {
  const { order, parsed, host } = orderOf(source, options)
  const ingest = await ingestSettings(parsed, host.stdin)
  const request = { order, options: parsed, ingest, ...(open && { open: () => open(order) }) }
  const { result, error } = await host.drain.within(send(request, host))
  const told = outcomeOf(result, order)
  if (error === undefined) return told
  // Anything but a PosthaulError is a bug, and keeps its stack.
  throw error instanceof PosthaulError ? new ImportStopped(error, told) : error
}

/**
 * The order of an import, checked as far as it can be without a file or the service.
 * @internal
 */
export function orderOf(source: ImportSource, options: ImportOptions) {
  if (!('dataset' in source) && !('files' in source))
    throw new PosthaulError('nothing to import: name a dataset or files', { code: 'usage' })
  const { rows, call, sources } = partKeys(options)
  const input = 'dataset' in source ? { dataset: source.dataset } : { file: source.files }
  const parsed = givenOptions(IMPORT_ROWS, { ...rows, ...input }, sources)
  const words = 'dataset' in source ? ['--dataset', source.dataset] : ['--file', ...source.files]
  const host = hostOf(call, ['import', ...words])
  return { order: importOrder(parsed, host.env), parsed, host }
}

function outcomeOf(result: ImportResult, { place }: ImportOrder): ImportOutcome {
  const { counts, conserved, finished, rejects, filtered, young_events: youngEvents } = result
  return {
    counts,
    conserved,
    finished,
    deliveredNow: result.written_now ?? 0,
    rejectedNow: result.rejected_now ?? 0,
    ownEvents: result.own_events ?? 0,
    youngEvents,
    reasons: rejects,
    filtered,
    notes: notesIn(result),
    rejects: new Rejects(place.at, place.rejectsPath, counts.rejected),
  }
}
