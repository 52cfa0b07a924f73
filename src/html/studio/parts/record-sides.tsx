import { rowsOf } from '../../../records/member-table.ts'
import { factsOf } from '../../../records/record-facts.ts'
import type { StudioRecord } from '../../../studio/studio-data.ts'
import type { PartTrace } from '../../../studio/trace.ts'
import { number } from '../../../text/words.ts'
import { Code, FactList, Name, Notice, shortName } from '../../kit/parts.tsx'
import { TableView } from '../../kit/table.tsx'
import { FateChip } from './filters.tsx'

/** A record and what becomes of it, side by side, as `posthaul explain` tells it. */
export function RecordSides({ record: { trace, refused, file, line } }: { record: StudioRecord }) {
  const text = trace?.record ?? refused?.record
  return (
    <div>
      <p class="soft small">
        <Name text={file} most={80} />
        {line !== null && `, line ${number(line)}`}
      </p>
      {refused !== null && <No outcome="rejected" {...refused} />}
      {trace !== null && trace.whole !== null && <No {...trace.whole} />}
      {trace?.parts.map((part) => (
        <Part key={part.child} part={part} of={trace.parts.length} />
      ))}
      {text && (
        <details>
          <summary>The record as it was read</summary>
          <Code text={text} />
        </details>
      )}
    </div>
  )
}

function Part({ part, of }: { part: PartTrace; of: number }) {
  const { event, child } = part
  const rows = rowsOf(part).flat()
  const cell = (text: string) => text !== '' && <Name text={text} most={320} />
  return (
    <section aria-label={child === null ? 'The record and its event' : `Event ${child} of ${of}`}>
      {child !== null && (
        <h4>
          Event {number(child)} of {number(of)}
        </h4>
      )}
      {event === null ? (
        <No {...part} />
      ) : (
        <p>
          <FateChip fate="event" /> <strong>{shortName(event.event)}</strong> of{' '}
          <Name text={part.distinct_id ?? ''} most={40} /> at {event.timestamp}
        </p>
      )}
      <div class="sides stack">
        <TableView
          caption="Members of the record, where they are in the event, and by which rule"
          columns={['In the record', 'In the event', 'Rule'].map((label) => ({ label }))}
          rows={rows.map(({ record, event, rule }) => [record, event, rule].map(cell))}
        />
      </div>
      <FactList facts={[...factsOf(part), ...notesOf(part)]} />
      {event !== null && (
        <details>
          <summary>The event as it is sent</summary>
          <Code text={event.line} />
        </details>
      )}
    </section>
  )
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

/** What was noticed on the way. */
function notesOf({ mends, unusable, big_integers, duplicate_keys }: PartTrace) {
  return [
    ...Object.entries(mends).map(([kind, count]) => ['changed', `${kind} (${number(count)})`] as const),
    ...unusable.map((what) => ['not used', what] as const),
    ...big_integers.map((name) => ['rounded by PostHog', name] as const),
    ['names given twice', duplicate_keys > 0 && number(duplicate_keys)] as const,
  ]
}
