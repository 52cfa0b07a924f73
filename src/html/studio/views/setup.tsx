import { ColumnTypes } from '../parts/column-types.tsx'
import { FieldList } from '../parts/field-list.tsx'
import { Questions } from '../parts/questions.tsx'
import type { ViewProps } from '../session.ts'

/** What a mapping needs before it works: answers, the places of the fields, the types of columns. */
export function SetupView({ moment, session }: ViewProps) {
  const { setup, model, yaml, input } = moment
  if (setup === null) return <p>The text of the mapping can't be read: mend it in Mapping first.</p>
  const { revision } = model
  return (
    <>
      <Questions setup={setup} revision={revision} session={session} />
      <FieldList setup={setup} revision={revision} session={session} />
      {setup.hasColumns && <ColumnTypes yaml={yaml} input={input} session={session} />}
    </>
  )
}
