import { useState } from 'preact/hooks'
import type { AddedTest } from '../../../studio/studio-data.ts'
import { Notice, shortName } from '../../kit/parts.tsx'
import { isUnsaved, type Moment, useShown } from '../session.ts'

/** Makes a test of a record, which expects what becomes of it now. */
export function AddTest({ record }: { record: number }) {
  const { session, moment } = useShown()
  const [last, setAnswer] = useState<AddedTest | Error>()
  const answer = last instanceof Error || (last && isStillThere(last, moment)) ? last : undefined
  const isAdded = answer !== undefined && !(answer instanceof Error)
  return (
    <>
      <p class="line">
        <button
          type="button"
          aria-disabled={isAdded}
          onClick={() => isAdded || session.addTest(record).then(setAnswer, setAnswer)}
        >
          Add as a test
        </button>
        <span class="soft small">
          posthaul test, and every transform, will say if it becomes something else
        </span>
      </p>
      <div role="status">
        {answer instanceof Error ? (
          <Notice level="error" title={shortName(`No test was added: ${answer.message}`, 1000)} />
        ) : (
          answer && <Notice level="note" title={shortName(newsOf(answer, isUnsaved(moment)), 1000)} />
        )}
      </div>
    </>
  )
}

/** False once the change of the mapping that made the test was undone. */
function isStillThere({ yaml: made }: AddedTest, { yaml, past }: Moment): boolean {
  return made === null || made === yaml || past.some((change) => change.yaml === made)
}

function newsOf({ name, file, yaml }: AddedTest, unsaved: boolean): string {
  const added = `Added “${name}” to ${file}`
  if (!unsaved) return added
  return yaml === null
    ? `${added}. It expects what is not saved yet: save the mapping, too`
    : `${added}: save it`
}
