import type { StudioRecord } from '../../../studio/studio-data.ts'
import type { MemberTrace, PartTrace, PlaceTrace } from '../../../studio/trace.ts'
import { number, plural } from '../../../text/words.ts'
import { Code, Name, Notice, shortName } from '../../kit/parts.tsx'
import { FateChip } from './filters.tsx'

/** A record and what becomes of it, side by side. */
export function RecordSides({ record }: { record: StudioRecord }) {
  const { trace, refused, file, line } = record
  return (
    <div>
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

function membersText(members: readonly string[]): string {
  return members.length === 0 ? '' : ` (${members.slice(0, 5).join(', ')})`
}

function Notes({ part: { event, notes } }: { part: PartTrace }) {
  const words = [
    event && `${UUID_WORDS[event.uuidFrom]}${membersText(event.uuidMembers)}.`,
    event?.link && `It links the anonymous id ${event.link.anonymousId} to ${event.link.userId}.`,
    ...Object.entries(notes.mends).map(([kind, count]) => `Changed for PostHog: ${kind} (${number(count)}).`),
    ...notes.unusable.map((rule) => `A rule could not use what it found: ${rule}.`),
    ...notes.bigIntegers.map((name) => `${name} is a number over 2^53 or 17 digits, which PostHog rounds.`),
    notes.duplicateKeys > 0 && `${plural(notes.duplicateKeys, 'name')} given twice: the last one counts.`,
  ].filter((line): line is string => typeof line === 'string')
  return (
    <ul class="small">
      {words.map((line) => (
        <li key={line}>{shortName(line, 400)}</li>
      ))}
    </ul>
  )
}

/** The members of a record left, where they are in the event right, and the rule that moved each between them. */
function Sides({ part, caption }: { part: PartTrace; caption: string }) {
  const places = part.event?.places ?? []
  const values = new Map(places.map(({ place, value }) => [place, value]))
  const added = places.filter(({ from }) => from.length === 0)
  return (
    <table class="sides stack">
      <caption>{caption}</caption>
      <thead>
        <tr>
          <th scope="col">In the record</th>
          <th scope="col">Rule</th>
          {part.event !== null && <th scope="col">In the event</th>}
        </tr>
      </thead>
      <tbody>
        {part.members.map((member, at) => (
          <tr
            key={`${at} ${member.path}`}
            class={part.event !== null && isLeftOut(member) ? 'out' : undefined}
          >
            <th scope="row">
              <Pair name={member.path} value={member.cell ?? member.value} />
            </th>
            <td>
              <Rules member={member} />
            </td>
            {part.event !== null && (
              <td>
                {member.to.map((place) => (
                  <Pair key={place} name={place} value={values.get(place) ?? null} />
                ))}
                {member.to.length === 0 && (
                  <span class="soft">{isOpened(member) ? 'its members are below' : 'not in the event'}</span>
                )}
              </td>
            )}
          </tr>
        ))}
        {added.map((place) => (
          <Added key={place.place} place={place} />
        ))}
      </tbody>
    </table>
  )
}

/** True for a member that the event has nothing of. */
function isLeftOut(member: MemberTrace): boolean {
  return member.to.length === 0 && !isOpened(member)
}

/** True for an object that is nowhere itself, since each of its members has a row. */
function isOpened({ to, fates }: MemberTrace): boolean {
  return to.length === 0 && fates.includes('opened')
}

function Rules({ member: { fates, rules } }: { member: MemberTrace }) {
  return (
    <>
      {fates.map((fate) => (
        <div key={fate}>
          <Name text={fate} />
        </div>
      ))}
      {rules.map((rule) => (
        <div key={rule} class="soft small">
          <Name text={rule} most={100} />
        </div>
      ))}
    </>
  )
}

function Added({ place: { place, value, origin } }: { place: PlaceTrace }) {
  return (
    <tr>
      <th scope="row" class="soft">
        –
      </th>
      <td>
        <div>added</div>
        {origin !== null && (
          <div class="soft small">
            <Name text={origin} most={100} />
          </div>
        )}
      </td>
      <td>
        <Pair name={place} value={value} />
      </td>
    </tr>
  )
}

/** A name and its value as JSON has it; null if the member has no value of its own. */
function Pair({ name, value }: { name: string; value: string | null }) {
  return (
    <div class="pair">
      <Name text={name} most={120} />
      {value !== null && (
        <code>
          <Name text={value} most={200} />
        </code>
      )}
    </div>
  )
}
