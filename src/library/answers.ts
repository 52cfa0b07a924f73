import { OPTIONS as CHECK } from '../commands/check/index.ts'
import type { CheckResult } from '../commands/check/result.ts'
import { run as runCheck } from '../commands/check/run.ts'
import { OPTIONS as REPORT } from '../commands/report/index.ts'
import type { ReportResult } from '../commands/report/result.ts'
import { run as runReport } from '../commands/report/run.ts'
import type { TransformResult } from '../commands/transform/result.ts'
import { run } from '../commands/transform/run.ts'
import { TRANSFORM_ROWS } from '../commands/transform-options.ts'
import { OPTIONS as UNDO } from '../commands/undo/index.ts'
import type { UndoResult } from '../commands/undo/result.ts'
import { run as runUndo } from '../commands/undo/run.ts'
import { OPTIONS as VERIFY } from '../commands/verify/index.ts'
import { run as runVerify } from '../commands/verify/run.ts'
import { PosthaulError } from '../errors.ts'
import { type CallOptions, hostOf, lastOf, type ServiceOptions } from '../host.ts'
import type { VerifyResult } from '../imports/verify-result.ts'
import type { Io } from '../io.ts'
import { givenOptions } from '../options/given.ts'
import type { Options } from '../options/options.ts'
import type { Row, Values } from '../options/row.ts'
import type { ImportSource } from './import-events.ts'
import { partKeys } from './service.ts'

/** Where the project is, and the key that may read it. */
interface Asking extends Omit<ServiceOptions, 'projectKey' | 'ingestHost'>, CallOptions {
  /** The folder or `s3://bucket/prefix` that keeps the state of the import. */
  readonly state?: string | undefined
}

/** How the import would send. Each is the option of `posthaul check` of that name; without `personalKey` nothing is asked. */
export interface CheckOptions extends Asking {
  readonly maxEventsPerMinute?: number | undefined
  readonly maxEvents?: number | undefined
  readonly approved?: boolean | undefined
  readonly lanes?: number | undefined
  readonly batchEvents?: number | undefined
  readonly with?: readonly string[] | undefined
  /** The codes of findings that are no errors: docs/findings.md. */
  readonly accept?: readonly string[] | undefined
}

/** Of which import the page is. Each is the option of `posthaul report` of that name. */
export interface ReportOptions extends CallOptions, Pick<Asking, 'state'> {
  readonly datasets: readonly string[]
  /** The file of the page. */
  readonly out: string
  readonly overwrite?: boolean | undefined
  readonly checkpoint?: string | undefined
}

/** What is compared with the project: datasets, and files that were imported as they are. They are counted together. */
export interface VerifySource {
  readonly datasets?: readonly string[]
  readonly files?: readonly string[]
}

/** How it is compared. Each is the option of `posthaul verify` of that name; `personalKey` is needed. */
export interface VerifyOptions extends Asking {
  /** How many events are compared value by value; `all` for every one. */
  readonly sample?: number | 'all' | undefined
  /** How long to wait for events that have not arrived yet: `10m`. */
  readonly wait?: string | undefined
  /** The file for missing events. */
  readonly missing?: string | undefined
  readonly checkpoint?: string | undefined
  readonly with?: readonly string[] | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
}

/** What is taken back. Each is the option of `posthaul undo` of that name; `personalKey` is needed. */
export interface UndoOptions extends Asking {
  /** The name of the project that is asked to delete the events. Without it they are counted. */
  readonly request?: string | undefined
  /** Follows the last request. */
  readonly status?: boolean | undefined
  readonly checkpoint?: string | undefined
}

/** What an import will do, and what would be lost or changed, as `posthaul check --json` says it. An error is a finding. */
export function check(source: ImportSource, options: CheckOptions = {}): Promise<CheckResult> {
  return answer('check', CHECK, runCheck, rowsOf(source), options)
}

/** Writes the page of a migration, with what the last verify found, and answers as `posthaul report --json`. */
export function report({ datasets, ...options }: ReportOptions): Promise<ReportResult> {
  return answer('report', REPORT, runReport, { args: datasets, rows: {} }, options)
}

/** Compares events with what arrived in the project, as `posthaul verify --json` says it. A difference is no error: see `equal`. */
export async function verify(source: VerifySource, options: VerifyOptions): Promise<VerifyResult> {
  const { datasets = [], files = [] } = source
  if (datasets.length + files.length === 0)
    throw new PosthaulError('nothing to verify: name datasets or files', { code: 'usage' })
  return answer('verify', VERIFY, runVerify, { args: datasets, rows: { file: files } }, options)
}

/** Counts the events of an import in the project, asks for their deletion or follows it, as `posthaul undo --json`. */
export function undo(
  source: ImportSource | { readonly importId: string },
  options: UndoOptions,
): Promise<UndoResult> {
  const subject = 'importId' in source ? { args: [], rows: { importId: source.importId } } : rowsOf(source)
  return answer('undo', UNDO, runUndo, subject, options)
}

interface Subject {
  readonly args: readonly string[]
  readonly rows: Readonly<Record<string, string | readonly string[]>>
}

function rowsOf(source: ImportSource): Subject {
  return 'dataset' in source
    ? { args: [source.dataset], rows: {} }
    : { args: [], rows: { file: source.files } }
}

async function answer<const O extends readonly Row[], T>(
  name: string,
  rows: O,
  run: (call: Options<Values<O>> & { readonly args: readonly string[] }, world: Io) => AsyncIterable<T>,
  subject: Subject,
  options: CallOptions,
): Promise<T> {
  const { rows: given, call, sources } = partKeys(options)
  const host = hostOf(call, [name, ...subject.args])
  const parsed = givenOptions(rows, { ...given, ...subject.rows }, sources)
  return host.drain.within(lastOf(run({ ...parsed, args: subject.args }, host)))
}

/** How files become a dataset. Each is the option of `posthaul transform` of that name, with its default. */
export interface TransformDatasetOptions extends CallOptions {
  /** Files, folders, globs, `s3://…`. */
  readonly in: string | readonly string[]
  /** The folder of the dataset, or `s3://bucket/prefix`. */
  readonly out: string
  /** A name such as `mixpanel`, or the path of a file. Default: as the mapping file says. */
  readonly preset?: string | undefined
  /** The path of a mapping file. */
  readonly map?: string | undefined
  readonly sourceTimezone?: string | undefined
  readonly groupType?: string | undefined
  readonly personProperties?: 'set' | 'set_once' | 'drop' | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
  readonly with?: readonly string[] | undefined
  readonly join?: readonly string[] | undefined
  /** Datasets of earlier windows: what they have is left out, and counted as `earlier`. */
  readonly after?: readonly string[] | undefined
  /** The value of `$import_job_id`; `none` for none. */
  readonly importId?: string | undefined
  /** Codes of findings with which it goes on, such as `repeated_ids`: docs/findings.md. */
  readonly accept?: readonly string[] | undefined
  /** More rejects among the first 10,000 records end it before anything is written: 0.5 is half of them. */
  readonly maxRejectRatio?: number | undefined
  readonly gzip?: boolean | undefined
  readonly workers?: number | undefined
  readonly workDir?: string | undefined
}

/**
 * Makes a dataset of files, by the code of `posthaul transform`: sorted, without duplicates, resumable, its rejects in
 * `rejects.ndjson`. Answers as `posthaul transform --json`. Rejects with a PosthaulError; the same call goes on.
 */
export async function transformDataset(options: TransformDatasetOptions): Promise<TransformResult> {
  const { signal, onMessage, env, ...rows } = options
  const inputs = [options.in].flat()
  const host = hostOf({ signal, onMessage, env }, ['transform', '--in', ...inputs, '--out', options.out])
  const { values } = givenOptions(TRANSFORM_ROWS, rows, env && { env })
  return host.drain.within(lastOf(run({ values }, host)))
}
