import type { MemberTrace, PartTrace, StudioRecord } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/index.ts'
import { Code } from '../../kit/code.tsx'
import { Name, shortName } from '../../kit/name.tsx'
import { Notice } from '../../kit/notice.tsx'
import { FateChip } from './chip.tsx'
import { isLeftOut, Sides } from './sides.tsx'

/** A record and what becomes of it, side by side. */
export function RecordSides({ record }: { record: StudioRecord }) {
  const { trace, refused, file, line } = record
  return (
    <div class="record">
      <p class="soft small">
        <Name text={file} most={80} />
        {line !== null && `, line ${number(line)}`}
      </p>
      {refused !== null && <No outcome="rejected" reason={refused.reason} message={refused.message} />}
      {trace !== null && trace.whole !== null && <No {...trace.whole} />}
      {trace?.parts.map((part) => (
        <Part key={part.child} part={part} of={trace.parts.length} />
      ))}
      {(trace?.record ?? refused?.record) && (
        <details>
          <summary>The record as it was read</summary>
          <Code text={trace?.record ?? refused?.record ?? ''} />
        </details>
      )}
    </div>
  )
}

function Part({ part, of }: { part: PartTrace; of: number }) {
  const { event, child, reason, message, members } = part
  return (
    <section aria-label={child === null ? 'The record and its event' : `Event ${child} of ${of}`}>
      {child !== null && (
        <h4>
          Event {number(child)} of {number(of)}
        </h4>
      )}
      {event === null ? (
        <No outcome={part.outcome} reason={reason} message={message} />
      ) : (
        <p>
          <FateChip fate="event" /> <strong>{shortName(event.event)}</strong> of{' '}
          <Name text={event.distinctId} most={40} /> at {event.timestamp}
        </p>
      )}
      <Sides caption={captionOf(members, part)} part={part} />
      <Notes part={part} />
      {event !== null && (
        <details>
          <summary>The event as it is sent</summary>
          <Code text={event.line} />
        </details>
      )}
    </section>
  )
}

function captionOf(members: readonly MemberTrace[], { event }: PartTrace): string {
  const all = plural(members.length, 'member')
  if (event === null) return `${all} of the record`
  const out = members.filter(isLeftOut).length
  return out === 0
    ? `${all} of the record, all of them in the event`
    : `${all} of the record, ${number(out)} not in the event`
}

function No(props: { outcome: PartTrace['outcome']; reason: string | null; message: string | null }) {
  const { outcome, reason, message } = props
  const title = `${outcome === 'filtered' ? 'Left out by a rule' : 'Rejected'}${reason === null ? '' : `: ${reason}`}`
  return (
    <Notice level={outcome === 'filtered' ? 'note' : 'error'} title={title}>
      {message !== null && <p>{shortName(message, 500)}</p>}
    </Notice>
  )
}

const UUID_WORDS = {
  uuid: "The uuid is the record's own",
  id: "The uuid is made from the record's id",
  content: 'The uuid is made from the whole record',
}

function Notes({ part: { event, notes } }: { part: PartTrace }) {
  const words = [
    ...(event === null
      ? []
      : [
          `${UUID_WORDS[event.uuidFrom]}${event.uuidMembers.length === 0 ? '' : ` (${event.uuidMembers.slice(0, 5).join(', ')})`}.`,
        ]),
    ...(event === null || event.link === null
      ? []
      : [`It links the anonymous id ${event.link.anonymousId} to ${event.link.userId}.`]),
    ...Object.entries(notes.mends).map(([kind, count]) => `Changed for PostHog: ${kind} (${number(count)}).`),
    ...notes.unusable.map((rule) => `A rule could not use what it found: ${rule}.`),
    ...notes.bigIntegers.map((name) => `${name} is a number over 2^53 or 17 digits, which PostHog rounds.`),
    ...(notes.duplicateKeys > 0
      ? [`${plural(notes.duplicateKeys, 'name')} given twice: the last one counts.`]
      : []),
  ]
  return (
    <ul class="small">
      {words.map((line) => (
        <li key={line}>{shortName(line, 400)}</li>
      ))}
    </ul>
  )
}
