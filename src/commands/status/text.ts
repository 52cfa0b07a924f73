import { VIA_WORDS } from '../../delivery/route.ts'
import { requestWords, undoneWords } from '../../imports/undo-words.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { block, noteLines, remarkLines, topNames } from '../lines.ts'
import type { StatusResult } from './result.ts'

/** An import for a person. */
export function statusLines(result: StatusResult): string[] {
  const { input, via, unconfirmed, rejected, pending, caps, undo, migration } = result
  const { held_by: runs, ends_at: endsAt } = result
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
      ends: endsAt && `${endsAt.slice(0, 16).replace('T', ' ')} UTC at the earliest, at the rate cap`,
      running: runningWords(result),
    }),
    ...remarkLines({ ...result, unknown_answers: unconfirmed }),
    ...noteLines(result),
    ...(command === null ? [] : [`  ${runs ? 'if it ends early' : 'then'}: ${command}`]),
  ]
}

function whereWords({ undo, done, share }: StatusResult): string {
  if (undo) return undoneWords(undo)
  if (done) return 'done'
  return share === null ? 'not done' : `${Math.floor(share * 100)}% done`
}

function runningWords(result: StatusResult): string | null {
  const { held_by: runs } = result
  if (runs) return `${runs.process}, since ${runs.since}${runs.seen ? '' : ' (not seen from here)'}`
  if (result.sent) return null
  if (isCapped(result))
    return 'no: its volume cap is reached; repeat its import command with a higher --max-events'
  return result.import_command === null ? 'no: repeat its import command to continue' : 'no'
}

function isCapped({ written, caps, migration }: StatusResult): boolean {
  return (migration?.delivered ?? written) >= caps.events
}
