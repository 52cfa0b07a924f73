import {
  fitJson,
  type KeepReport,
  type PersonsPlan,
  type TypesFit,
  type WarningsFound,
  warningLines,
  warningsJson,
} from '../../checks/index.ts'
import {
  type DeliveryOutcome,
  MIXED_DAYS_TEXT,
  noRemarks,
  type Plan,
  type SharedPeople,
  YOUNG_HOURS,
} from '../../delivery/index.ts'
import { PosthaulError } from '../../errors.ts'
import { type Counts, conserved, type Notes } from '../../record/index.ts'
import {
  bytes,
  errorJson,
  fold,
  MS_PER_MINUTE,
  number,
  plural,
  REMARK,
  secondsJson,
  span,
  visible,
} from '../../text/index.ts'
import { allNames, countLines, noteLines } from '../summary.ts'
import {
  fileImportIds,
  importIdLines,
  keptJson,
  keptLines,
  planLines,
  planPersonsJson,
  remarkLines,
  remarksJson,
  sharedJson,
  sharedLines,
  viaLines,
} from './import-words.ts'
import type { ImportResult } from './result.ts'

/** What is imported, and where to. */
export interface ImportSubject {
  readonly input: string
  readonly bytes: number
  /** Undefined in a dry run, which sends nothing. */
  readonly host: string | undefined
  readonly rejectsPath: string
  readonly perMinute: number
  readonly maxEvents: number
  /** What became of the persons that the project had; undefined where nothing was to be kept. */
  readonly persons?: KeepReport | undefined
  /** What a real run would do to them. */
  readonly foretold?: PersonsPlan | undefined
  /** How its group types fit those of the project; undefined where nobody knows, and in a run that is no dry one. */
  readonly groups?: TypesFit | undefined
  /** Imports of the same people beside this one. */
  readonly sharedPeople?: readonly SharedPeople[]
  /** What the service warned of since the run began; undefined where nobody could be asked. */
  readonly warnings?: WarningsFound | undefined
  readonly kind: 'dataset' | 'file'
  /** The command that verifies it. */
  readonly verify: string
}

/** The summary of a run as JSON, as result.ts has it. */
export function importJson(subject: ImportSubject, outcome: DeliveryOutcome, seconds: number): ImportResult {
  const { counts, deliveredNow, rejectedNow, tally, error, stoppedInTime, left, rejectsLeft } = outcome
  const { arrived, migration } = outcome
  return {
    ...head(subject, false, seconds, counts),
    finished: error === undefined && !stoppedInTime,
    reason: reasonOf(outcome),
    left: { events: left.events ?? null, bytes: left.bytes },
    written_now: deliveredNow,
    rejected_now: rejectedNow,
    own_events: outcome.ownEvents,
    ...remarksJson(outcome.via, tally.remarks),
    persons: keptJson(subject.persons),
    arrived: arrived ?? null,
    ingestion_warnings: warningsJson(subject.warnings),
    import_ids: fileImportIds(subject.kind, tally.notes),
    rejects: { ...tally.reasons },
    filtered: { ...tally.filters },
    young_events: tally.young,
    migration: { ...migration, max_events: subject.maxEvents },
    rejects_file: rejectsLeft ? subject.rejectsPath : null,
    shared_people: sharedJson(subject.sharedPeople),
    ...notesJson(tally.notes),
    error: errorJson(error),
    plan: null,
  }
}

/** The plan of a dry run as JSON. */
export function planJson(subject: ImportSubject, plan: Plan, seconds: number): ImportResult {
  return {
    ...head(subject, true, seconds, plan.counts),
    finished: false,
    reason: 'dry_run',
    left: null,
    written_now: null,
    rejected_now: null,
    own_events: null,
    ...remarksJson(plan.via, noRemarks()),
    persons: null,
    arrived: null,
    ingestion_warnings: null,
    import_ids: fileImportIds(subject.kind, plan.notes),
    rejects: { ...plan.reasons },
    filtered: { ...plan.filters },
    young_events: plan.young,
    migration: null,
    rejects_file: null,
    shared_people: [],
    ...notesJson(plan.notes),
    error: null,
    plan: {
      events: plan.events,
      batches: plan.batches,
      body_bytes: plan.bodyBytes,
      seconds_at_cap: Math.ceil(plan.paceMs / 1000),
      volume_cap_reached: plan.capped,
      persons: planPersonsJson(subject.foretold),
      groups: fitJson(subject.groups),
    },
  }
}

/** The summary of a run for a person. */
export function importSummary(subject: ImportSubject, outcome: DeliveryOutcome, seconds: number): string {
  const { counts, deliveredNow, rejectedNow, tally, rejectsLeft, tornTail } = outcome
  const now = deliveredNow === counts.written ? '' : `, ${number(deliveredNow)} of them in this run`
  const lines = [
    ...fold(
      `${howItEnded(outcome)} after ${span(seconds * 1000)}: ${visible(subject.input)} to ${subject.host}`,
      '  ',
      'import: ',
    ),
    ...countLines(counts, {
      written: counts.written > 0 ? `${acknowledgedWords(counts)}${now}` : '',
      rejected: rejectedRemark(allNames(tally.reasons), counts.rejected, rejectedNow),
      filtered: allNames(tally.filters),
      pending: counts.pending > 0 ? pendingRemark(subject) : '',
    }),
    ...viaLines(outcome.via),
    ...importIdLines(subject.kind, tally.notes),
    ...ownLines(outcome),
    ...keptLines(subject.persons),
    ...leftLines(subject, outcome),
    ...migrationLines(subject, outcome),
    ...remarkLines(tally.remarks, subject.verify),
    ...noteLines(tally.notes),
    ...youngLines(tally.young),
    ...sharedLines(subject.sharedPeople),
    ...foreignLines(subject, counts, tally.reasons),
    ...(subject.warnings ? warningLines(subject.warnings) : []),
  ]
  if (tornTail) {
    lines.push(
      '  warning   the last line is rejected and has no line end: if the file is still',
      '            being written, the next run reads it again',
    )
  }
  if (outcome.arrived === false && outcome.error === undefined) {
    lines.push('  not yet seen in the project: history takes its time, and verify looks again')
  }
  if (rejectsLeft) lines.push(`  rejects are in ${visible(subject.rejectsPath)}`)
  return `${lines.join('\n')}\n`
}

function acknowledgedWords({ written, unconfirmed = 0 }: Counts): string {
  if (unconfirmed === 0) return 'acknowledged by the service'
  return `${number(written - unconfirmed)} acknowledged by the service, ${number(unconfirmed)} unconfirmed`
}

function howItEnded({ error, stoppedInTime }: DeliveryOutcome): string {
  if (error !== undefined) return 'stopped'
  return stoppedInTime ? 'stopped as asked' : 'done'
}

/** Why the run did not finish, as a word that a script can test. Null if it finished, or met a bug. */
function reasonOf({ error, stoppedInTime }: DeliveryOutcome): ImportResult['reason'] {
  if (error !== undefined) return error instanceof PosthaulError ? error.code : null
  return stoppedInTime ? 'stop_after' : null
}

function rejectedRemark(reasons: string, all: number, now: number): string {
  return now === all ? reasons : `${reasons}; ${now === 0 ? 'none' : number(now)} of them in this run`
}

/** A dataset's events are counted beforehand. Of a file, only what was read. */
function pendingRemark({ kind }: ImportSubject): string {
  return kind === 'dataset'
    ? 'not acknowledged yet; the next run sends them'
    : 'read but not acknowledged; the next run sends them'
}

function leftLines(
  { bytes: all, perMinute }: ImportSubject,
  { stoppedInTime, left }: DeliveryOutcome,
): string[] {
  if (left.events === undefined)
    return left.bytes === 0 ? [] : [`  left      ${bytes(left.bytes)} of ${bytes(all)}`]
  if (!stoppedInTime) return []
  const atCap = span((left.events / perMinute) * MS_PER_MINUTE)
  return [`  left      ${plural(left.events, 'event')}, at least ${atCap} at the rate cap`]
}

/** Events that the import made itself. */
function ownLines({ ownEvents }: DeliveryOutcome): string[] {
  if (ownEvents === 0) return []
  return [`  own       ${plural(ownEvents, 'event')} that the import made itself; verify expects them too`]
}

/** What counts against the volume cap, if other imports have their part in it. */
function migrationLines(
  { maxEvents }: ImportSubject,
  { counts, ownEvents, migration }: DeliveryOutcome,
): string[] {
  const { events, since } = migration
  if (events === counts.written + ownEvents) return []
  return [
    `  migration ${number(events)} of ${number(maxEvents)} events, over all imports into this`,
    `            project since ${since}`,
  ]
}

/** The plan of a dry run for a person. */
export function planSummary(subject: ImportSubject, plan: Plan): string {
  const { counts, batches, bodyBytes, paceMs, capped } = plan
  const lines = [
    ...fold(
      `dry run of ${visible(subject.input)} (${bytes(subject.bytes)}); nothing was sent, no state was changed`,
      '  ',
      'import: ',
    ),
    ...countLines(counts, {
      rejected: allNames(plan.reasons),
      filtered: allNames(plan.filters),
      pending: counts.pending > 0 ? sentRemark(plan) : '',
    }),
    ...noteLines(plan.notes),
    ...youngLines(plan.young),
    ...foreignLines(subject, counts, plan.reasons),
    ...planLines(planPersonsJson(subject.foretold)),
    `  it takes  ${plural(batches, 'batch', 'batches')}, ${bytes(bodyBytes)} before gzip`,
    `            at least ${span(paceMs)}, at ${number(subject.perMinute)} events a minute`,
  ]
  if (plan.mixedDays) lines.push(...fold(MIXED_DAYS_TEXT, REMARK, '  warning   '))
  if (capped) {
    const text = 'the volume cap stops the import after those; what comes later was not looked at'
    lines.push(...fold(text, REMARK, '  warning   '))
  }
  return `${lines.join('\n')}\n`
}

/** Of a dataset, what is beyond the volume cap is pending too. */
function sentRemark({ counts, events }: Plan): string {
  return events === counts.pending ? 'would be sent' : `${number(events)} of them would be sent`
}

function youngLines(count: number): string[] {
  if (count === 0) return []
  const are = count === 1 ? 'event is' : 'events are'
  return [
    `  warning   ${number(count)} ${are} younger than ${YOUNG_HOURS} hours: the service can bill`,
    '            them as live events',
  ]
}

/** Reasons of lines that are not events at all. An event that is not sent for another reason is still an event. */
const NOT_EVENTS = [
  'bad_json',
  'bad_utf8',
  'not_an_object',
  'event_missing',
  'event_not_text',
  'distinct_id_missing',
  'timestamp_missing',
  'timestamp_not_text',
]

/** True if most lines are not events: most likely they are a vendor's export, which needs a transform first. */
export function isForeign({ read }: Counts, rejects: Readonly<Record<string, number>>): boolean {
  return NOT_EVENTS.reduce((sum, reason) => sum + (rejects[reason] ?? 0), 0) > read / 2
}

function foreignLines(
  { kind }: ImportSubject,
  counts: Counts,
  rejects: Readonly<Record<string, number>>,
): string[] {
  if (kind === 'dataset') return []
  if ((rejects.bad_utf8 ?? 0) > counts.read / 2) {
    return fold(
      'most lines are not UTF-8: posthaul init tells the encoding and writes it into a mapping file (encoding: windows-1252), with which posthaul transform reads them',
      REMARK,
      '  warning   ',
    )
  }
  if (!isForeign(counts, rejects)) return []
  return [
    "  warning   most lines are not events of the service's own form; if a vendor",
    '            wrote them, posthaul transform turns them into events',
  ]
}

function head(subject: ImportSubject, dryRun: boolean, seconds: number, counts: Counts) {
  return {
    version: 1 as const,
    command: 'import' as const,
    dry_run: dryRun,
    input: subject.input,
    host: subject.host ?? null,
    seconds: secondsJson(seconds),
    counts,
    conserved: conserved(counts),
  }
}

function notesJson(notes: Notes) {
  const { mends, duplicate_keys, big_integers, ignored_members, unusable } = notes
  return {
    mends: { ...mends, duplicate_keys },
    big_integers: { ...big_integers },
    ignored_members: { ...ignored_members },
    unusable: { ...unusable },
  }
}
