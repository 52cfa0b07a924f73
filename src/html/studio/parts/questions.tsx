import type { Edit, Setup, SetupAnswer, SetupQuestion } from '../../../studio/studio-data.ts'
import { plural } from '../../../text/words.ts'
import { Name, Notice, shortName } from '../../kit/parts.tsx'
import { hrefOf } from '../place.ts'
import { useShown } from '../session.ts'
import {
  type Asked,
  askDayAndTime,
  askMember,
  askZone,
  OWN_ZONE,
  RowActions,
  type RowButton,
} from './forms.tsx'

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
          {plural(questions.length, 'question')} about what the data does not tell for certain. Until you
          answer, the mapping says the likeliest.
        </p>
      )}
      {questions.map((question) => (
        <div class="card" key={question.text}>
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
    void session.edit([...answer.edits, ...more], `Answered “${shortName(answer.label)}”`, question.text)
  return (
    <RowActions
      name={question.text}
      buttons={question.answers.toSorted(ownZoneFirst).flatMap((answer): RowButton[] => {
        const { label, choose } = answer
        if (choose === null) return [{ label, run: () => settle(answer) }]
        if (choose.what === 'view') return [{ label, run: () => location.assign(hrefOf(choose.view)) }]
        const asks = { label, asks: asked(choose, setup, (edit) => settle(answer, [edit])) }
        if (choose.what !== 'zone' || OWN_ZONE === 'UTC') return [asks]
        const own = () => settle(answer, [{ kind: 'set_timezone', zone: OWN_ZONE }])
        return [{ label: OWN_ZONE, run: own }, asks]
      })}
    />
  )
}

/** Times that say no zone are mostly of the zone of who exported them. */
function ownZoneFirst({ choose: a }: SetupAnswer, { choose: b }: SetupAnswer): number {
  const isFirst = (choose: SetupAnswer['choose']) => Number(choose?.what === 'zone' && OWN_ZONE !== 'UTC')
  return isFirst(b) - isFirst(a)
}

type Choosing = Exclude<NonNullable<SetupAnswer['choose']>, { readonly what: 'view' }>

function asked(choose: Choosing, { formats }: Setup, apply: (edit: Edit) => void): Asked {
  if (choose.what === 'zone') return askZone((zone) => apply({ kind: 'set_timezone', zone }))
  if (choose.what === 'name') {
    return {
      fields: [{ label: 'Name of these events' }],
      onApply: (to) => apply({ kind: 'set_name', to: to! }),
    }
  }
  if (choose.what === 'time of day') {
    return askDayAndTime(choose.day, formats, (day, time, format) =>
      apply({ kind: 'set_day_and_time', day, time, format }),
    )
  }
  const { what, field } = choose
  const [kind, take] =
    what === 'field' ? (['set_field', 'Take'] as const) : (['add_field', 'Without one, take'] as const)
  return askMember(`${take} ${field} from`, (path) => apply({ kind, field, path }))
}
