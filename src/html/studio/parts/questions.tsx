import type { Edit, Setup, SetupAnswer, SetupQuestion } from '../../../studio/studio-data.ts'
import { plural } from '../../../text/words.ts'
import { Name, Notice, shortName } from '../../kit/parts.tsx'
import { hrefOf } from '../place.ts'
import { useShown } from '../session.ts'
import { DayAndTimeForm, MemberForm, RowActions, type RowButton, ZoneForm } from './small-form.tsx'

/** What the first mapping was not sure of. An answer is written, and its question is gone. */
export function Questions({ setup }: { setup: Setup }) {
  const { questions } = setup
  return (
    <section aria-labelledby="questions">
      <h3 id="questions">Questions</h3>
      {questions.length === 0 ? (
        <Notice level="good" title="No question is open" />
      ) : (
        <p>
          {plural(questions.length, 'question')} about what the data does not tell for certain. The first
          answer is what the mapping says now, unless its button names something to choose.
        </p>
      )}
      {questions.map((question) => (
        <div class="card question" key={question.text}>
          <p>
            {question.about !== '' && (
              <>
                <strong>
                  <Name text={question.about} />:
                </strong>{' '}
              </>
            )}
            {shortName(question.text, 600)}
          </p>
          <Answers question={question} setup={setup} />
        </div>
      ))}
    </section>
  )
}

function Answers({ question, setup }: { question: SetupQuestion; setup: Setup }) {
  const { session } = useShown()
  const settle = (answer: SetupAnswer, more: readonly Edit[] = []): void =>
    void session.edit(
      { kind: 'settle', question: question.text, edits: [...answer.edits, ...more] },
      `Answered “${shortName(answer.label)}”`,
    )
  return (
    <RowActions
      name={question.text}
      buttons={question.answers.map((answer): RowButton => {
        const { label, choose } = answer
        if (choose === null) return { label, run: () => settle(answer) }
        if (choose.what === 'view') return { label, run: () => location.assign(hrefOf(choose.view)) }
        return { label, form: choiceForm(choose, setup, (edit) => settle(answer, [edit])) }
      })}
    />
  )
}

type Choosing = Exclude<NonNullable<SetupAnswer['choose']>, { readonly what: 'view' }>

function choiceForm(choose: Choosing, setup: Setup, apply: (edit: Edit) => void) {
  if (choose.what === 'zone') return <ZoneForm onZone={(zone) => apply({ kind: 'set_timezone', zone })} />
  if (choose.what === 'time of day') {
    return (
      <DayAndTimeForm
        day={choose.day}
        format={dayAndTimeFormat(setup)}
        onApply={(day, time, format) => apply({ kind: 'set_day_and_time', day, time, format })}
      />
    )
  }
  const { what, field } = choose
  return (
    <MemberForm
      label={what === 'field' ? `Take ${field} from` : `Where there is none, take ${field} from`}
      onChoice={(path) => apply({ kind: what === 'field' ? 'set_field' : 'add_field', field, path })}
    />
  )
}

/** The form of a day, with a time of day behind it. */
export function dayAndTimeFormat({ formats }: Setup): string {
  const [format = 'YYYY-MM-DD'] = formats
  return /[hH]/.test(format) ? format : `${format} HH:mm`
}

/** Times that say no zone are read in it. */
export function TimeZone({ zone }: { zone: string | null }) {
  const { session } = useShown()
  const set = (to: string | null, what: string): void =>
    void session.edit({ kind: 'set_timezone', zone: to }, what)
  const form = <ZoneForm onZone={(to) => set(to, `Read times without a zone in “${shortName(to)}”`)} />
  return (
    <div class="preset">
      <span>
        Times without a zone: <strong>{zone === null ? 'UTC' : <Name text={zone} />}</strong>
      </span>
      <RowActions
        name="the time zone"
        buttons={[
          { label: 'Set zone…', form },
          zone !== null && { label: 'Forget', run: () => set(null, 'Took back the time zone') },
        ]}
      />
    </div>
  )
}
