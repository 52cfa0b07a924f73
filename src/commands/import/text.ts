import { warningLines } from '../../checks/words/warnings.ts'
import { YOUNG_HOURS } from '../../delivery/pacer.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { visible } from '../../text/visible.ts'
import { bytes, number, plural, span } from '../../text/words.ts'
import { allNames, countLines, importIdLines, labelled, noteLines, remarkLines, viaLines } from '../lines.ts'
import { leastTimeText } from '../planned-requests.ts'
import type { ImportResult } from './result.ts'

/** The summary of a run, or the plan of a dry run, for a person. */
export function importLines(result: ImportResult): string[] {
  if (result.plan) return planned(result, result.plan)
  const { counts, rejected_now, written_now: now } = result
  const ofRun = now === counts.written ? '' : `, ${number(now ?? 0)} of them in this run`
  const lines = [
    ...fold(
      `${howItEnded(result)} after ${span(result.seconds * 1000)}: ${visible(result.input)} to ${result.host}`,
      '  ',
      'import: ',
    ),
    ...countLines(counts, {
      written: counts.written > 0 ? `${acknowledgedWords(counts)}${ofRun}` : '',
      rejected: rejectedRemark(allNames(result.rejects), counts.rejected, rejected_now ?? 0),
      filtered: allNames(result.filtered),
      pending: counts.pending > 0 ? pendingRemark(result) : '',
    }),
    ...viaLines(result.via),
    ...importIdLines(result.import_ids),
    ...ownLines(result),
    ...keptLines(result.persons),
    ...leftLines(result),
    ...migrationLines(result),
    ...remarkLines(result, result.verify_command),
    ...noteLines(result),
    ...youngLines(result),
    ...(result.ingestion_warnings ? warningLines(result.ingestion_warnings) : []),
    ...result.remarks.flatMap((text) => labelled('warning', text)),
  ]
  if (result.arrived === false && (result.finished || result.reason === 'stop_after'))
    lines.push('  not yet seen in the project: history takes its time, and verify looks again')
  if (result.rejects_file !== null) lines.push(`  rejects are in ${visible(result.rejects_file)}`)
  return lines
}

function acknowledgedWords({ written, unconfirmed = 0 }: ImportResult['counts']): string {
  if (unconfirmed === 0) return 'acknowledged by the service'
  return `${number(written - unconfirmed)} acknowledged by the service, ${number(unconfirmed)} unconfirmed`
}

function howItEnded({ finished, reason }: ImportResult): string {
  if (finished) return 'done'
  return reason === 'stop_after' ? 'stopped as asked' : 'stopped'
}

function rejectedRemark(reasons: string, all: number, now: number): string {
  return now === all ? reasons : `${reasons}; ${now === 0 ? 'none' : number(now)} of them in this run`
}

/** A dataset's events are counted beforehand. Of a file, only what was read. */
function pendingRemark({ kind }: ImportResult): string {
  return kind === 'dataset'
    ? 'not acknowledged yet; the next run sends them'
    : 'read but not acknowledged; the next run sends them'
}

function leftLines({ reason, left, bytes: all, events_per_minute: perMinute }: ImportResult): string[] {
  if (!left) return []
  if (left.events === null)
    return left.bytes === 0 ? [] : [`  left      ${bytes(left.bytes)} of ${bytes(all)}`]
  if (reason !== 'stop_after') return []
  const atCap = span((left.events / perMinute) * MS_PER_MINUTE)
  return [`  left      ${plural(left.events, 'event')}, at least ${atCap} at the rate cap`]
}

/** Events that the import made itself. */
function ownLines({ own_events: own }: ImportResult): string[] {
  return own
    ? [`  own       ${plural(own, 'event')} that the import made itself; verify expects them too`]
    : []
}

/** What counts against the volume cap, if other imports have their part in it. */
function migrationLines({ counts, own_events: own, migration }: ImportResult): string[] {
  if (!migration || migration.events === counts.written + (own ?? 0)) return []
  return [
    `  migration ${number(migration.events)} of ${number(migration.max_events)} events, over all imports into this`,
    `            project since ${migration.since}`,
  ]
}

function youngLines({ young_events: count }: ImportResult): string[] {
  if (count === 0) return []
  const are = count === 1 ? 'event is' : 'events are'
  return [
    `  warning   ${number(count)} ${are} younger than ${YOUNG_HOURS} hours: the service can bill`,
    '            them as live events',
  ]
}

function planned(result: ImportResult, plan: NonNullable<ImportResult['plan']>): string[] {
  const { counts } = result
  const lines = [
    ...fold(
      `dry run of ${visible(result.input)} (${bytes(result.bytes)}); nothing was sent, no state was changed`,
      '  ',
      'import: ',
    ),
    ...countLines(counts, {
      rejected: allNames(result.rejects),
      filtered: allNames(result.filtered),
      pending: counts.pending > 0 ? sentRemark(plan.events, counts.pending) : '',
    }),
    ...noteLines(result),
    ...youngLines(result),
    `  it takes  ${plural(plan.batches, 'batch', 'batches')}, ${bytes(plan.body_bytes)} before gzip`,
    ...fold(leastTimeText(plan, result.events_per_minute), REMARK),
    ...result.findings.flatMap(guardLines),
    ...result.remarks.flatMap((text) => labelled('warning', text)),
  ]
  if (plan.volume_cap_reached) {
    const text = 'the volume cap stops the import after those; what comes later was not looked at'
    lines.push(...labelled('warning', text))
  }
  return lines
}

function guardLines({ level, text, example, remedy }: ImportResult['findings'][number]): string[] {
  const said = example === null ? text : `${text}; e.g. ${visible(example)}`
  return [...labelled(level, said), ...(remedy === null ? [] : fold(remedy, `${REMARK}  `, `${REMARK}> `))]
}

/** Of a dataset, what is beyond the volume cap is pending too. */
function sentRemark(events: number, pending: number): string {
  return events === pending ? 'would be sent' : `${number(events)} of them would be sent`
}

/** What became of persons that the project had before. */
function keptLines(persons: ImportResult['persons']): string[] {
  if (!persons) return []
  const { distinct_ids: ids, put_right: put } = persons
  if (!put) {
    const [are, theirs] = ids === 1 ? ['is', 'its person is'] : ['are', 'their persons are']
    return labelled(
      'persons',
      `${plural(ids, 'distinct id')} of the project ${are} in the input; ${theirs} put right at its end`,
    )
  }
  const left = put.newer === 0 ? '' : `; ${number(put.newer)} changed since by live events, and left`
  const text =
    put.persons === 0
      ? `the project had ${plural(ids, 'distinct id')} of the input; nothing was to be put right${left}`
      : `${number(put.persons)} put right, as the project had them: ${plural(put.values, 'value')}${left}`
  return labelled('persons', text)
}
