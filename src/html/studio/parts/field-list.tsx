import type { Edit, EditableField, Setup } from '../../../studio/studio-data.ts'
import { Name, shortName } from '../../kit/parts.tsx'
import { useShown } from '../session.ts'
import { askDayAndTime, askMember, askZone, RowActions } from './forms.tsx'

const FIELDS: ReadonlyArray<readonly [field: EditableField, label: string]> = [
  ['event', "Event's name"],
  ['distinct_id', 'Person (distinct_id)'],
  ['timestamp', 'Time'],
  ['uuid', "Event's id (uuid)"],
  ['anonymous_id', 'Anonymous id'],
  ['session_id', 'Session'],
  ['session_start', 'Start of the session'],
]
const KNOWN_FORMATS = [
  ...['YYYY-MM-DD', 'YYYY-MM-DD HH:mm', 'DD.MM.YYYY', 'DD.MM.YYYY HH:mm', 'DD.MM.YYYY HH:mm:ss'],
  ...['DD/MM/YYYY HH:mm', 'MM/DD/YYYY', 'MM/DD/YYYY hh:mm A', 'YYYYMMDD', 'epoch_s', 'epoch_ms', 'excel'],
]

const ROWS = {
  people: {
    about: 'Each row is a person: it sets their properties, and shows as no event.',
    label: 'Each row happened',
    edit: { kind: 'set_rows', are: 'events' },
    said: 'Took each row for an event',
  },
  events: {
    about: 'Each row is something that happened: an event of a person.',
    label: 'Each row is a person',
    edit: { kind: 'set_rows', are: 'people' },
    said: 'Took each row for a person',
  },
} as const

/** What the rows of a table are. */
export function Rows({ setup }: { setup: Setup }) {
  const { session } = useShown()
  const { about, label, edit, said } = ROWS[setup.rows]
  return (
    <section aria-labelledby="rows">
      <h3 id="rows">Rows</h3>
      <p>{about}</p>
      <RowActions name="the rows" buttons={[{ label, run: () => void session.edit(edit, said) }]} />
    </section>
  )
}

/** Where the fields of an event are in the records, with what is taken where the first has no value. */
export function FieldList({ setup }: { setup: Setup }) {
  return (
    <section aria-labelledby="fields">
      <h3 id="fields">Where things are</h3>
      <p>
        Of several, the first that has a value in a record is taken. Where none is named, the preset chooses.
      </p>
      <ul class="bare fields">
        {FIELDS.map(([field, label]) => (
          <li key={field}>
            <strong>{label}</strong>
            <Field setup={setup} field={field} label={label} />
          </li>
        ))}
        <li>
          <strong>Forms of times</strong>
          <Formats formats={setup.formats} />
        </li>
        <li>
          <strong>Zone</strong>
          <TimeZone zone={setup.zone} />
        </li>
      </ul>
    </section>
  )
}

function Field({ setup, field, label }: { setup: Setup; field: EditableField; label: string }) {
  const { session } = useShown()
  const paths = setup.fields[field]
  const joined = field === 'timestamp' ? setup.dayAndTime : []
  const what = label.toLowerCase()
  const edit = (change: Edit, said: string): void => void session.edit(change, said)
  const member = (kind: 'set_field' | 'add_field', says: string) =>
    askMember(says, (path) => edit({ kind, field, path }, `Took ${field} from “${shortName(path)}”`))
  const dayAndTime = askDayAndTime(joined[0] ?? paths[0] ?? '', setup.formats, (day, time, format) =>
    edit(
      { kind: 'set_day_and_time', day, time, format },
      `Took the time from “${shortName(day)}” and “${shortName(time)}”`,
    ),
  )
  const isMissing = setup.missing.includes(field)
  const isOpen = paths.length + joined.length === 0
  return (
    <div>
      {isMissing && (
        <p>
          <span class="chip warning">to be chosen</span> nothing in the data tells it
        </p>
      )}
      {isOpen && !isMissing && <p class="soft">the preset's choice</p>}
      {field === 'uuid' && setup.unique.length > 0 && (
        <p>Another value in each row. As the event's id, it keeps a file that is sent twice from doubling.</p>
      )}
      {joined.length > 0 && (
        <p>
          <Name text={joined[0]!} /> and <Name text={joined[1] ?? ''} />, read together
        </p>
      )}
      <ol class="bare">
        {paths.map((path) => (
          <li key={path} class="line">
            <Name text={path} />
            <RowActions
              name={`${path} for ${what}`}
              buttons={[
                {
                  label: 'Remove',
                  run: () =>
                    edit({ kind: 'remove_field', field, path }, `Took “${shortName(path)}” out of ${field}`),
                },
              ]}
            />
          </li>
        ))}
      </ol>
      <RowActions
        name={what}
        buttons={[
          paths.length > 0 && {
            label: 'Add a fallback…',
            asks: member('add_field', 'Where there is none, take'),
          },
          { label: isOpen ? 'Choose…' : 'Replace…', asks: member('set_field', `Take ${what} from`) },
          ...(field === 'uuid' ? setup.unique : []).map((path) => ({
            label: `Take ${shortName(path)}`,
            run: () => edit({ kind: 'set_field', field, path }, `Took ${field} from “${shortName(path)}”`),
          })),
          field === 'timestamp' && { label: 'Day and time of day…', asks: dayAndTime },
          joined.length > 0 && {
            label: 'Forget',
            run: () => edit({ kind: 'set_field', field, path: null }, 'Took back the day and time'),
          },
        ]}
      />
    </div>
  )
}

function Formats({ formats }: Pick<Setup, 'formats'>) {
  const { session } = useShown()
  const set = (to: readonly string[], what: string): void =>
    void session.edit({ kind: 'set_formats', formats: to }, what)
  const without = (format: string): void =>
    set(
      formats.filter((one) => one !== format),
      `Took out the form “${shortName(format)}”`,
    )
  const asks = {
    fields: [{ label: 'Form, such as DD.MM.YYYY HH:mm', suggestions: KNOWN_FORMATS }],
    onApply: (format: string) => set([...formats, format], `Added the form “${shortName(format)}”`),
  }
  return (
    <div>
      {formats.length === 0 && <p class="soft">the usual ones, such as 2024-03-01T12:00:00Z</p>}
      <ol class="bare">
        {formats.map((format) => (
          <li key={format} class="line">
            <Name text={format} />
            <RowActions
              name={`the form ${format}`}
              buttons={[{ label: 'Remove', run: () => without(format) }]}
            />
          </li>
        ))}
      </ol>
      <RowActions name="of times" buttons={[{ label: 'Add a form…', asks }]} />
    </div>
  )
}

/** Times that say no zone are read in it. */
function TimeZone({ zone }: Pick<Setup, 'zone'>) {
  const { session } = useShown()
  const set = (to: string | null, what: string): void =>
    void session.edit({ kind: 'set_timezone', zone: to }, what)
  return (
    <div class="line">
      <span>
        Times without a zone: <strong>{zone === null ? 'UTC' : <Name text={zone} />}</strong>
      </span>
      <RowActions
        name="the time zone"
        buttons={[
          {
            label: 'Set zone…',
            asks: askZone((to) => set(to, `Read times without a zone in “${shortName(to)}”`)),
          },
          zone !== null && { label: 'Forget', run: () => set(null, 'Took back the time zone') },
        ]}
      />
    </div>
  )
}
