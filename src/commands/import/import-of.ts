import { type CheckFinding, findingJson, hasErrors } from '../../checks/finding.ts'
import type { KeepReport } from '../../checks/persons/keep.ts'
import type { WarningsFound } from '../../checks/words/warnings.ts'
import type { Plan } from '../../delivery/dry-run.ts'
import type { InputSource } from '../../delivery/intake.ts'
import { MIXED_DAYS_TEXT } from '../../delivery/notices.ts'
import type { DeliveryOutcome } from '../../delivery/outcome.ts'
import { noRemarks, type Remarks } from '../../delivery/route.ts'
import { PosthaulError } from '../../errors.ts'
import { ACCEPT } from '../../guards/accept.ts'
import { HIDDEN_GROUPS } from '../../guards/groups.ts'
import type { GuardsOrder, ImportOrder } from '../../imports/import-order.ts'
import { fileImportIds } from '../../imports/standing.ts'
import { FILE } from '../../options/dataset-rows.ts'
import { flagOf } from '../../options/row.ts'
import { BIG_INTEGERS, WITH } from '../../options/transform-rows.ts'
import { conserved } from '../../record/counts.ts'
import { isS3 } from '../../store/s3-location.ts'
import { mendedCommand, rejectsCommand, verifyArgv, withoutRestart } from '../../text/command-line.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { plural } from '../../text/words.ts'
import { notesJson } from '../notes-json.ts'
import { requestsOf } from '../planned-requests.ts'
import type { ImportResult } from './result.ts'

const TORN_TAIL =
  'the last line is rejected and has no line end: if the file is still being written, the next run reads it again'

/** What is imported, and where to. */
export type ImportSubject = ReturnType<typeof subjectOf>

export function subjectOf(
  order: ImportOrder,
  { name, totalBytes }: InputSource,
  argv: readonly string[],
  host?: string,
) {
  const { source, place, pace } = order
  const { input } = source
  return {
    kind: input.kind,
    input: input.kind === 'file' && input.files.length > 1 ? name : input.path,
    bytes: totalBytes,
    argv,
    verify: posthaulLine(verifyArgv(verifyWords(order), argv)),
    /** Undefined in a dry run, which sends nothing. */
    host,
    rejectsPath: place.rejectsPath,
    isRemote: isS3(place.at.location),
    perMinute: pace.caps.perMinute,
    maxEvents: pace.caps.events,
  }
}

/** The words after `verify` that name the input of an import, and the rules by which it was sent. */
export function verifyWords({ source, guards }: Pick<ImportOrder, 'source' | 'guards'>): string[] {
  const { input, switches, bigIntegersAsStrings } = source
  const accept = guards.accept.includes(HIDDEN_GROUPS) ? [flagOf(ACCEPT), HIDDEN_GROUPS] : []
  if (input.kind === 'dataset') return [input.path, ...accept]
  return [
    flagOf(FILE),
    ...input.files,
    ...(switches.length > 0 ? [flagOf(WITH), ...switches] : []),
    ...(bigIntegersAsStrings ? [flagOf(BIG_INTEGERS), 'string'] : []),
    ...accept,
  ]
}

/**
 * The result of a run. `persons`: undefined where nothing was to be kept. `warnings`: of the service since the run began;
 * undefined where nobody could be asked. `findings`: of guards that did not stop it.
 */
export function importOf(
  subject: ImportSubject,
  outcome: DeliveryOutcome,
  {
    persons,
    warnings,
    findings,
  }: {
    readonly persons?: KeepReport | undefined
    readonly warnings?: WarningsFound | undefined
    readonly findings: readonly CheckFinding[]
  },
  seconds: number,
): ImportResult {
  const { tally, error, stoppedInTime, left } = outcome
  const isToMend = outcome.rejectsLeft && error === undefined
  return {
    ...unsentJson(subject, { ...outcome, ...tally }, seconds),
    finished: error === undefined && !stoppedInTime,
    reason: reasonOf(outcome),
    left: { events: left.events ?? null, bytes: left.bytes },
    written_now: outcome.deliveredNow,
    rejected_now: outcome.rejectedNow,
    own_events: outcome.ownEvents,
    ...remarksJson(tally.remarks),
    persons: persons ? keptJson(persons) : null,
    arrived: outcome.arrived ?? null,
    ingestion_warnings: warnings ?? null,
    migration: { ...outcome.migration, max_events: subject.maxEvents },
    rejects_file: outcome.rejectsLeft ? subject.rejectsPath : null,
    remarks: outcome.tornTail ? [TORN_TAIL] : [],
    mend_command: isToMend ? mendedCommand(subject.argv) : null,
    fetch_command: isToMend && subject.isRemote ? rejectsCommand(subject.argv) : null,
    next_command: stoppedInTime ? posthaulLine(withoutRestart(subject.argv)) : null,
    findings: findings.map(findingJson),
    error: errorJson(error),
  }
}

/** The result of a dry run. */
export function planOf(
  subject: ImportSubject,
  plan: Plan,
  findings: readonly CheckFinding[],
  seconds: number,
): ImportResult {
  return {
    ...unsentJson(subject, plan, seconds),
    remarks: plan.mixedDays ? [MIXED_DAYS_TEXT] : [],
    next_command: hasErrors(findings)
      ? null
      : posthaulLine(subject.argv.filter((word) => word !== '--dry-run')),
    findings: findings.map(findingJson),
    plan: {
      events: plan.events,
      batches: plan.batches,
      body_bytes: plan.bodyBytes,
      seconds_at_cap: Math.ceil(plan.leastMs / 1000),
      requests: requestsOf(plan.turns, plan.answerMs),
      volume_cap_reached: plan.capped,
    },
  }
}

/** The result of an import that sends nothing, with all members in their order. */
function unsentJson(
  { kind, input, host, bytes, perMinute, verify }: ImportSubject,
  {
    counts,
    via,
    notes,
    reasons,
    filters,
    young,
  }: Pick<Plan, 'counts' | 'via' | 'notes' | 'reasons' | 'filters' | 'young'>,
  seconds: number,
): ImportResult {
  return {
    version: 1,
    command: 'import',
    dry_run: host === undefined,
    kind,
    input,
    bytes,
    host: host ?? null,
    seconds: secondsJson(seconds),
    counts,
    conserved: conserved(counts),
    finished: false,
    reason: 'dry_run',
    left: null,
    written_now: null,
    rejected_now: null,
    own_events: null,
    via,
    ...remarksJson(noRemarks()),
    persons: null,
    arrived: null,
    ingestion_warnings: null,
    import_ids: fileImportIds(kind, notes),
    rejects: { ...reasons },
    filtered: { ...filters },
    young_events: young,
    migration: null,
    rejects_file: null,
    remarks: [],
    events_per_minute: perMinute,
    verify_command: verify,
    mend_command: null,
    fetch_command: null,
    next_command: null,
    ...notesJson(notes),
    findings: [],
    error: null,
    plan: null,
  }
}

/** Why the run did not finish, as a word that a script can test. Null if it finished, or met a bug. */
function reasonOf({ error, stoppedInTime }: DeliveryOutcome): ImportResult['reason'] {
  if (error !== undefined) return error instanceof PosthaulError ? error.code : null
  return stoppedInTime ? 'stop_after' : null
}

/** What Capture V1 said of events that it took, and of how many it said nothing known. */
function remarksJson({ warnings, unmerged, unknown }: Remarks) {
  return { warnings: { ...warnings }, unmerged: { ...unmerged }, unknown_answers: unknown }
}

/** What became of persons that the project had before. */
function keptJson({ ids, takenAt, settled }: KeepReport): ImportResult['persons'] {
  return {
    distinct_ids: ids,
    taken_at: takenAt,
    put_right: settled && { persons: settled.persons, values: settled.properties, newer: settled.newer },
  }
}

/** Refuses a trial that was not called one, and a whole that was. */
export function assertTrialMeant(source: InputSource, { trial: meant }: Pick<GuardsOrder, 'trial'>): void {
  const { trial } = source
  if ((meant === undefined) === (trial === undefined)) return
  if (!trial) {
    throw new PosthaulError(`--trial: ${source.name} is not a trial`, {
      code: 'usage',
      hint: 'make one with posthaul transform --people 500; or leave --trial out to import the whole',
    })
  }
  throw new PosthaulError(
    `${source.name} is a trial, of ${plural(trial.people, 'person', 'people')}: it goes to a new project, and the whole to another`,
    {
      code: 'usage',
      hint: 'set the keys of a project that is there for the trial and add --trial with its name; or import the whole dataset',
    },
  )
}
