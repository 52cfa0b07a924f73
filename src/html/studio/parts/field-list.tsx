import type { EditableField, Setup } from '../../../studio/studio-data.ts'
import { Name, shortName } from '../../kit/name.tsx'
import type { PageSession } from '../session.ts'
import { dayAndTimeFormat } from './questions.tsx'
import { RowActions, type RowForm } from './row-actions.tsx'
import { DayAndTimeForm, MemberForm, NameForm } from './small-form.tsx'
import { TimeZone } from './time-zone.tsx'

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

interface FieldProps {
  readonly setup: Setup
  readonly revision: string
  readonly session: PageSession
}

/** Where the fields of an event are in the records, with what is taken where the first has no value. */
export function FieldList(props: FieldProps) {
  const { setup, session } = props
  return (
    <section aria-labelledby="fields">
      <h3 id="fields">Where things are</h3>
      <p>
        Of several, the first that has a value in a record is taken. Where none is named, the preset chooses.
      </p>
      <ul class="bare fields">
        {FIELDS.map(([field, label]) => (
          <li key={field}>
            <span class="field-name">{label}</span>
            <Field {...props} field={field} label={label} />
          </li>
        ))}
        <li>
          <span class="field-name">Forms of times</span>
          <Formats {...props} />
        </li>
        <li>
          <span class="field-name">Zone</span>
          <TimeZone zone={setup.zone} session={session} />
        </li>
      </ul>
    </section>
  )
}

function Field({
  setup,
  revision,
  session,
  field,
  label,
}: FieldProps & { field: EditableField; label: string }) {
  const paths = setup.fields[field]
  const joined = field === 'timestamp' ? setup.dayAndTime : []
  const what = label.toLowerCase()
  const memberForm = (button: string, kind: 'set_field' | 'add_field', says: string): RowForm => ({
    label: button,
    form: (close) => (
      <MemberForm
        label={says}
        revision={revision}
        onChoice={(path) =>
          void session.edit({ kind, field, path }, `Took ${field} from “${shortName(path)}”`)
        }
        close={close}
      />
    ),
  })
  const dayForm: RowForm = {
    label: 'Day and time of day…',
    form: (close) => (
      <DayAndTimeForm
        day={joined[0] ?? paths[0] ?? ''}
        format={dayAndTimeFormat(setup)}
        revision={revision}
        onApply={(day, time, format) =>
          void session.edit(
            { kind: 'set_day_and_time', day, time, format },
            `Took the time from “${shortName(day)}” and “${shortName(time)}”`,
          )
        }
        close={close}
      />
    ),
  }
  const isMissing = setup.missing.includes(field)
  const isOpen = paths.length + joined.length === 0
  return (
    <div>
      {isMissing && (
        <p>
          <span class="chip warn">to be chosen</span> nothing in the data tells it
        </p>
      )}
      {isOpen && !isMissing && <p class="soft">the preset's choice</p>}
      {joined.length > 0 && (
        <p>
          <Name text={joined[0]!} /> and <Name text={joined[1] ?? ''} />, read together
        </p>
      )}
      <ol class="bare">
        {paths.map((path, at) => (
          <li key={path} class="fallback">
            <Name text={path} />
            <RowActions
              name={`${path} for ${what}`}
              actions={[
                ...(at === 0
                  ? []
                  : [
                      {
                        label: 'Take earlier',
                        run: () =>
                          void session.edit(
                            { kind: 'raise_field', field, path },
                            `Took “${shortName(path)}” earlier`,
                          ),
                      },
                    ]),
                {
                  label: 'Remove',
                  run: () =>
                    void session.edit(
                      { kind: 'remove_field', field, path },
                      `Took “${shortName(path)}” out of ${field}`,
                    ),
                },
              ]}
            />
          </li>
        ))}
      </ol>
      <RowActions
        name={what}
        forms={[
          ...(paths.length === 0
            ? []
            : [memberForm('Add a fallback…', 'add_field', 'Where there is none, take')]),
          memberForm(isOpen ? 'Choose…' : 'Replace…', 'set_field', `Take ${what} from`),
          ...(field === 'timestamp' ? [dayForm] : []),
        ]}
        actions={
          joined.length === 0
            ? []
            : [
                {
                  label: 'Forget',
                  run: () =>
                    void session.edit({ kind: 'set_field', field, path: null }, 'Took back the day and time'),
                },
              ]
        }
      />
    </div>
  )
}

function Formats({ setup: { formats }, session }: FieldProps) {
  const set = (to: readonly string[], what: string): void =>
    void session.edit({ kind: 'set_formats', formats: to }, what)
  return (
    <div>
      {formats.length === 0 && <p class="soft">the usual ones, such as 2024-03-01T12:00:00Z</p>}
      <ol class="bare">
        {formats.map((format) => (
          <li key={format} class="fallback">
            <Name text={format} />
            <RowActions
              name={`the form ${format}`}
              actions={[
                {
                  label: 'Remove',
                  run: () =>
                    set(
                      formats.filter((one) => one !== format),
                      `Took out the form “${shortName(format)}”`,
                    ),
                },
              ]}
            />
          </li>
        ))}
      </ol>
      <RowActions
        name="of times"
        forms={[
          {
            label: 'Add a form…',
            form: (close) => (
              <NameForm
                label="Form, such as DD.MM.YYYY HH:mm"
                name=""
                suggestions={KNOWN_FORMATS}
                onName={(format) => set([...formats, format], `Added the form “${shortName(format)}”`)}
                close={close}
              />
            ),
          },
        ]}
        actions={[]}
      />
    </div>
  )
}
