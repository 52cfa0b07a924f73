import type { EditableField } from '../../studio/studio-data.ts'

/** What mends records of one reason. `field`: the field of the event that another member may hold. */
export interface Advice {
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
export function adviceOf(reason: string): Advice {
  return FIELDS.find(([start]) => start.test(reason))?.[1] ?? ELSE
}
