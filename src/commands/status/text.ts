import { requestWords, undoneWords } from '../../imports/undo-words.ts'
import { MEND_PART } from '../../store/name.ts'
import { MS_PER_HOUR } from '../../text/units.ts'
import { visible } from '../../text/visible.ts'
import { bytes, number, plural, span } from '../../text/words.ts'
import { importIdLines, remarkLines, viaLines } from '../import/text.ts'
import { labelled, noteLines, topNames } from '../lines.ts'
import type { StatusResult } from '../results.ts'
import type { StatusSaid } from './status-json.ts'

/** An import for a person. */
export function statusText(result: StatusResult, said: StatusSaid): string {
  const { input, pending, unconfirmed, rejected, caps, undo, migration, held_by: runs } = result
  const lines = [
    `${visible(result.checkpoint)}: ${whereWords(result)}`,
    `  input     ${visible(input.name)}, ${bytes(input.bytes)}`,
    `  to        ${visible(result.host)}`,
    ...viaLines(result.via),
    ...importIdLines(result.import_ids),
    `  written   ${plural(result.written, 'event')}${unconfirmed > 0 ? `, ${number(unconfirmed)} of them unconfirmed` : ''}`,
    `  rejected  ${number(rejected)}${rejected > 0 ? `  ${topNames(result.rejects)}` : ''}`,
    ...(pending ? [`  pending   ${number(pending)}  not acknowledged yet`] : []),
    `  caps      ${number(caps.events_per_minute)} events a minute, ${number(caps.events)} in total${caps.approved ? ' (approved)' : ''}`,
    `  started   ${result.started_at}`,
    `  saved     ${result.saved_at}`,
    ...(undo ? labelled('undo', requestWords(undo)) : []),
  ]
  if (migration) {
    lines.push(
      `  migration ${plural(migration.events, 'event')}, over all imports into this project`,
      `            since ${migration.since}`,
    )
  }
  lines.push(...paceLines(result, said), ...runningLines(result, said))
  for (const holder of result.drawing_on_cap) {
    if (holder.process === runs?.process) continue
    const purpose = holder.purpose === '' ? [] : [`            ${visible(holder.purpose)}`]
    lines.push(`  rate cap  ${visible(holderWords(holder))}`, ...purpose)
  }
  const remarks = { ...said.remarks, unknown_answers: said.remarks.unknown }
  lines.push(...partLines(result), ...remarkLines(remarks), ...noteLines(said.notes))
  const command = isCapped(result) ? null : (said.follow ?? result.import_command)
  if (command !== null) lines.push(`  ${runs === null ? 'then' : 'if it ends early'}: ${command}`)
  return `${lines.join('\n')}\n`
}

function partLines({ compared, damaged, unnamed }: StatusResult): string[] {
  const whole = `the dataset's files are as its manifest says, compared by ${compared}`
  return [
    ...(compared !== null && damaged.length === 0 ? labelled('files', whole) : []),
    ...damaged.flatMap((fault) => labelled('damaged', visible(`${fault}: ${MEND_PART}`))),
    ...unnamed.flatMap((text) => labelled('unnamed', visible(text))),
  ]
}

/** An import in one line, for a log. */
export function statusLine(result: StatusResult, { isSent, isToCap }: StatusSaid): string {
  const { pending, unconfirmed, rate_per_minute: rate, seconds_left: left, last_error: error } = result
  const words = [
    whereWords(result),
    `${number(result.written)} written${unconfirmed > 0 ? ` (${number(unconfirmed)} unconfirmed)` : ''}`,
    `${number(result.rejected)} rejected`,
    ...(pending ? [`${number(pending)} pending`] : []),
    ...(isSent || result.running ? [] : ['no run is at it']),
    ...(rate === null ? [] : [`${number(rate)} events a minute`]),
    ...(left === null ? [] : [`${span(left * 1000)} ${isToCap ? 'to the volume cap' : 'left'}`]),
    ...(isSent || !error ? [] : [`last error: ${errorWords(error)}`]),
  ]
  return visible(`${result.checkpoint}: ${words.join(', ')}`)
}

function whereWords({ undo, done, share }: StatusResult): string {
  if (undo) return undoneWords(undo)
  if (done) return 'done'
  return share === null ? 'not done' : `${Math.floor(share * 100)}% done`
}

/** How fast it is, how long it will take, and what failed last. */
function paceLines(result: StatusResult, { now, isSent, isToCap }: StatusSaid): string[] {
  if (isSent) return []
  const { rate_per_minute: rate, seconds_left: left, seconds_left_at_cap: atCap, ends_at: end } = result
  const lines = rate === null ? [] : [`  speed     ${number(rate)} events a minute`]
  if (left !== null && isToCap)
    lines.push(`  left      ${span(left * 1000)} to the volume cap, where it stops`)
  else if (left !== null) lines.push(`  left      about ${span(left * 1000)}, at this speed`)
  else if (atCap !== null) lines.push(`  left      at least ${span(atCap * 1000)}, at the rate cap`)
  if (end !== null && Date.parse(end) - now >= MS_PER_HOUR) {
    const day = `${end.slice(0, 16).replace('T', ' ')} UTC`
    lines.push(left === null ? `  ends      ${day} at the earliest` : `  ends      about ${day}`)
  }
  const { last_error: error } = result
  return error ? [...lines, ...labelled('error', visible(errorWords(error)))] : lines
}

function errorWords({ at, reason }: NonNullable<StatusResult['last_error']>): string {
  return `${reason} (${at})`
}

function runningLines(result: StatusResult, { isSent }: StatusSaid): string[] {
  const { held_by: runs } = result
  if (runs) return [`  running   ${visible(holderWords(runs))}`]
  if (isSent) return []
  if (isCapped(result)) {
    return [
      '  running   no: its volume cap is reached; repeat its import command with',
      '            a higher --max-events',
    ]
  }
  return [`  running   no${result.import_command === null ? ': repeat its import command to continue' : ''}`]
}

function isCapped({ written, caps, migration }: StatusResult): boolean {
  return (migration?.delivered ?? written) >= caps.events
}

function holderWords({ process, since, seen }: NonNullable<StatusResult['held_by']>): string {
  return `${process}, since ${since}${seen ? '' : ' (not seen from here)'}`
}
