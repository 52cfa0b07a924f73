import type { Edit, Setup, SetupAnswer, SetupQuestion } from '../../../studio/studio-data.ts'
import { plural } from '../../../text/index.ts'
import { Name, shortName } from '../../kit/name.tsx'
import { Notice } from '../../kit/notice.tsx'
import { hrefOf } from '../place.ts'
import type { PageSession } from '../session.ts'
import { type RowAction, RowActions, type RowForm } from './row-actions.tsx'
import { DayAndTimeForm, MemberForm, ZoneForm } from './small-form.tsx'

interface QuestionsProps {
  readonly setup: Setup
  readonly revision: string
  readonly session: PageSession
}

/** What the first mapping was not sure of. An answer is written, and its question is gone. */
export function Questions({ setup, revision, session }: QuestionsProps) {
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
          <Answers question={question} setup={setup} revision={revision} session={session} />
        </div>
      ))}
    </section>
  )
}

function Answers({ question, setup, revision, session }: QuestionsProps & { question: SetupQuestion }) {
  const settle = (answer: SetupAnswer, more: readonly Edit[] = []): void =>
    void session.edit(
      { kind: 'settle', question: question.text, edits: [...answer.edits, ...more] },
      `Answered “${shortName(answer.label)}”`,
    )
  return (
    <RowActions
      name={question.text}
      buttons={question.answers.map((answer): RowAction | RowForm => {
        const { label, choose } = answer
        if (choose === null) return { label, run: () => settle(answer) }
        if (choose.what === 'view') return { label, run: () => location.assign(hrefOf(choose.view)) }
        return {
          label,
          form: (close) => (
            <Choice
              answer={answer}
              setup={setup}
              revision={revision}
              apply={(edit) => settle(answer, [edit])}
              close={close}
            />
          ),
        }
      })}
    />
  )
}

function Choice(props: {
  answer: SetupAnswer
  setup: Setup
  revision: string
  apply: (edit: Edit) => void
  close: () => void
}) {
  const { answer, setup, revision, apply, close } = props
  const { choose } = answer
  if (choose === null || choose.what === 'view') return null
  if (choose.what === 'zone') {
    return <ZoneForm onZone={(zone) => apply({ kind: 'set_timezone', zone })} close={close} />
  }
  if (choose.what === 'time of day') {
    return (
      <DayAndTimeForm
        day={choose.day}
        format={dayAndTimeFormat(setup)}
        revision={revision}
        onApply={(day, time, format) => apply({ kind: 'set_day_and_time', day, time, format })}
        close={close}
      />
    )
  }
  const { what, field } = choose
  return (
    <MemberForm
      label={what === 'field' ? `Take ${field} from` : `Where there is none, take ${field} from`}
      revision={revision}
      onChoice={(path) => apply({ kind: what === 'field' ? 'set_field' : 'add_field', field, path })}
      close={close}
    />
  )
}

/** The form of a day, with a time of day behind it. */
export function dayAndTimeFormat({ formats }: Setup): string {
  const [format = 'YYYY-MM-DD'] = formats
  return /[hH]/.test(format) ? format : `${format} HH:mm`
}
