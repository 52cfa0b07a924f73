import type { EditableField, Outcome, ReasonRow } from '../../../studio/studio-data.ts'
import { number, plural } from '../../../text/index.ts'
import { shortName } from '../../kit/name.tsx'
import { Notice } from '../../kit/notice.tsx'
import { percent } from '../../kit/words.ts'
import { RowActions } from '../parts/row-actions.tsx'
import { MemberForm } from '../parts/small-form.tsx'
import { hrefOf } from '../place.ts'
import type { ViewProps } from '../session.ts'

/** What mends records of one reason. `field`: the field of the event that another member may hold. */
interface Advice {
  readonly words: string
  readonly field?: EditableField
}

const FIELDS: ReadonlyArray<readonly [start: RegExp, advice: Advice]> = [
  [
    /^event_(missing|not_text)$/,
    { words: 'Say which member holds the name, or drop what is no event.', field: 'event' },
  ],
  [
    /^distinct_id_/,
    {
      words: 'Say which member tells whose event it is; in a list, the first with a value counts.',
      field: 'distinct_id',
    },
  ],
  [
    /^timestamp_(missing|not_text|unparsable)$/,
    { words: 'Say which member holds the time, or how it is written.', field: 'timestamp' },
  ],
  [
    /^timestamp_(too_old|in_future)$/,
    {
      words: 'PostHog would move such a time. Look whether its unit or its member is another.',
      field: 'timestamp',
    },
  ],
  [/^uuid_invalid$/, { words: 'Take the uuid from another member, or from none.', field: 'uuid' }],
  [
    /^bad_(utf8|encoding)$/,
    { words: 'Say in the mapping file what the text is in: encoding: windows-1252, or another.' },
  ],
  [
    /^(bad_json|trailing_bytes|too_deep|not_an_object|line_too_long|too_many_members)$/,
    { words: 'The line itself is broken: no mapping mends it. Mend the file, or let the line go.' },
  ],
  [/^csv_|^too_many_columns$/, { words: 'Look at the row: a quote or a separator is likely missing.' }],
  [/^event_too_large$/, { words: 'Drop the properties that make it large, in Properties.' }],
  [
    /^(junk_id|identity_of_nobody|linked_id_not_text|alias_missing|previous_id_missing)$/,
    { words: 'The record links ids that stand for nobody. Nothing is lost but the link.' },
  ],
  [/^merge_/, { words: 'Such a merge can never be undone: PostHog does it only if asked to by --with.' }],
  [/^group_/, { words: "Say which member holds the group's key, under groups in the mapping." }],
]

const ELSE: Advice = {
  words: 'Look at a record: its message says what is wrong. The mapping may drop its event.',
}

/** What to do about rejects of a reason. */
function adviceOf(reason: string): Advice {
  return FIELDS.find(([start]) => start.test(reason))?.[1] ?? ELSE
}

/** Records that become no event: those that can't, and those that a rule leaves out. */
export function RejectsView({ moment, session }: ViewProps) {
  const { rejects, filtered, counts } = moment.model
  return (
    <>
      {rejects.length === 0 ? (
        <Notice level="good" title="No record of the sample is rejected" />
      ) : (
        <p class="lead">
          {plural(counts.rejected, 'record')} of the sample ({percent(counts.rejected / counts.made)}) can't
          become an event. In a transform they are kept with their reasons in rejects.ndjson.
        </p>
      )}
      {rejects.map((row) => (
        <Reason key={row.reason} row={row} outcome="rejected">
          <Mend row={row} moment={moment} session={session} />
        </Reason>
      ))}
      <h3>Left out on purpose</h3>
      {filtered.length === 0 && <p>No rule leaves a record out.</p>}
      {filtered.map((row) => (
        <Reason key={row.reason} row={row} outcome="filtered" />
      ))}
    </>
  )
}

function Reason(props: { row: ReasonRow; outcome: Outcome; children?: preact.ComponentChild }) {
  const { row, outcome } = props
  const id = `reason-${outcome}-${row.reason}`
  const records = (record?: number): string =>
    hrefOf('records', {
      outcome,
      reason: row.reason,
      record: record === undefined ? undefined : String(record),
    })
  return (
    <section class="card" aria-labelledby={id}>
      <h3 id={id}>
        <code>{row.reason}</code> <span class="soft">{plural(row.count, 'record')}</span>
      </h3>
      {row.message !== '' && <p>{shortName(row.message, 500)}</p>}
      {props.children}
      <ul class="bare examples">
        {row.examples.map(({ record, message }) => (
          <li key={record}>
            <a href={records(record)}>Record {number(record + 1)}</a>
            {message !== row.message && <span class="soft"> {shortName(message, 200)}</span>}
          </li>
        ))}
        <li>
          <a href={records()}>
            All {number(row.count)}
            <span class="unseen"> of {row.reason}</span>
          </a>
        </li>
      </ul>
    </section>
  )
}

function Mend({ row, moment, session }: { row: ReasonRow } & Pick<ViewProps, 'moment' | 'session'>) {
  const { words, field } = adviceOf(row.reason)
  return (
    <>
      <p>
        <strong>What to do:</strong> {words}
      </p>
      {field !== undefined && (
        <RowActions
          name={`the member of ${row.reason}`}
          forms={[
            {
              label: 'Choose a member…',
              form: (close) => (
                <MemberForm
                  label={`Take ${field} from`}
                  revision={moment.model.revision}
                  onChoice={(path) =>
                    void session.edit(
                      { kind: 'set_field', field, path },
                      `Took ${field} from “${shortName(path)}”`,
                    )
                  }
                  close={close}
                />
              ),
            },
          ]}
          actions={[]}
        />
      )}
    </>
  )
}
