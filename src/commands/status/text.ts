import { VIA_WORDS } from '../../delivery/route.ts'
import { requestWords, undoneWords } from '../../imports/undo-words.ts'
import { MEND_PART } from '../../store/name.ts'
import { visible } from '../../text/visible.ts'
import { bytes, number, plural, span } from '../../text/words.ts'
import { block, noteLines, remarkLines, topNames } from '../lines.ts'
import type { StatusResult } from './result.ts'

const SECONDS_PER_HOUR = 3600

/** An import for a person. */
export function statusLines(result: StatusResult): string[] {
  const { input, via, unconfirmed, rejected, pending, caps, undo, migration, held_by: runs } = result
  const command = isCapped(result) ? null : (result.undo_command ?? result.import_command)
  return [
    ...block(`${result.checkpoint}: ${whereWords(result)}`, {
      input: `${input.name}, ${bytes(input.bytes)}`,
      to: result.host,
      by: via === 'batch' ? null : VIA_WORDS[via],
      id: result.import_ids,
      written: `${plural(result.written, 'event')}${unconfirmed > 0 ? `, ${number(unconfirmed)} of them unconfirmed` : ''}`,
      rejected: rejected > 0 ? `${number(rejected)}  ${topNames(result.rejects)}` : '0',
      pending: pending ? `${number(pending)}  not acknowledged yet` : null,
      caps: `${number(caps.events_per_minute)} events a minute, ${number(caps.events)} in total${caps.approved ? ' (approved)' : ''}`,
      started: result.started_at,
      saved: result.saved_at,
      undo: undo && requestWords(undo),
      migration:
        migration &&
        `${plural(migration.events, 'event')}, over all imports into this project since ${migration.since}`,
      ...(result.sent ? {} : paceRows(result)),
      running: runningWords(result),
      'rate cap': result.drawing_on_cap
        .filter(({ process }) => process !== runs?.process)
        .map((holder) => [holderWords(holder), holder.purpose].filter(Boolean).join(': ')),
      ...partRows(result),
    }),
    ...remarkLines({ ...result, unknown_answers: unconfirmed }),
    ...noteLines(result),
    ...(command === null ? [] : [`  ${runs ? 'if it ends early' : 'then'}: ${command}`]),
  ]
}

/** An import in one line, for a log. */
export function statusLine(result: StatusResult): string {
  const { pending, unconfirmed, sent, rate_per_minute: rate, seconds_left: left, last_error: error } = result
  const words = [
    whereWords(result),
    `${number(result.written)} written${unconfirmed > 0 ? ` (${number(unconfirmed)} unconfirmed)` : ''}`,
    `${number(result.rejected)} rejected`,
    pending && `${number(pending)} pending`,
    !sent && !result.running && 'no run is at it',
    rate !== null && `${number(rate)} events a minute`,
    left !== null && `${span(left * 1000)} ${result.to_cap ? 'to the volume cap' : 'left'}`,
    !sent && error && `last error: ${error.reason} (${error.at})`,
  ]
  return visible(`${result.checkpoint}: ${words.filter(Boolean).join(', ')}`)
}

function whereWords({ undo, done, share }: StatusResult): string {
  if (undo) return undoneWords(undo)
  if (done) return 'done'
  return share === null ? 'not done' : `${Math.floor(share * 100)}% done`
}

/** How fast it is, how long it will take, and what failed last. */
function paceRows(result: StatusResult) {
  const { rate_per_minute: rate, seconds_left: left, seconds_left_at_cap: atCap, last_error: error } = result
  const day = result.ends_at && `${result.ends_at.slice(0, 16).replace('T', ' ')} UTC`
  const isLong = (left ?? atCap ?? 0) >= SECONDS_PER_HOUR
  const atSpeed =
    left !== null && result.to_cap
      ? `${span(left * 1000)} to the volume cap, where it stops`
      : left !== null && `about ${span(left * 1000)}, at this speed`
  return {
    speed: rate === null ? null : `${number(rate)} events a minute`,
    left: atSpeed || (atCap === null ? null : `at least ${span(atCap * 1000)}, at the rate cap`),
    ends: isLong && day ? (left === null ? `${day} at the earliest` : `about ${day}`) : null,
    error: error && `${error.reason} (${error.at})`,
  }
}

function runningWords(result: StatusResult): string | null {
  if (result.held_by) return holderWords(result.held_by)
  if (result.sent) return null
  if (isCapped(result))
    return 'no: its volume cap is reached; repeat its import command with a higher --max-events'
  return result.import_command === null ? 'no: repeat its import command to continue' : 'no'
}

/** The files of the dataset. */
function partRows({ compared, damaged, unnamed }: StatusResult) {
  const isWhole = compared !== null && damaged.length === 0
  return {
    files: isWhole ? `the dataset's files are as its manifest says, compared by ${compared}` : null,
    damaged: damaged.map((fault) => `${fault}: ${MEND_PART}`),
    unnamed,
  }
}

function isCapped({ written, caps, migration }: StatusResult): boolean {
  return (migration?.delivered ?? written) >= caps.events
}

function holderWords({ process, since, seen }: NonNullable<StatusResult['held_by']>): string {
  return `${process}, since ${since}${seen ? '' : ' (not seen from here)'}`
}
