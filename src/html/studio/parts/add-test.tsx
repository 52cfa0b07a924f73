import { useState } from 'preact/hooks'
import { Notice } from '../../kit/parts.tsx'
import { api } from '../api.ts'

/** Makes a test of a record, which expects what becomes of it now. */
export function AddTest({ record }: { record: number }) {
  const [answer, setAnswer] = useState<{ level: 'note' | 'error'; title: string }>()
  const add = () =>
    api.addTest(record).then(
      ({ name, file }) => setAnswer({ level: 'note', title: `Added “${name}” to ${file}` }),
      (error: Error) => setAnswer({ level: 'error', title: error.message }),
    )
  return (
    <>
      <p>
        <button type="button" onClick={add}>
          Add as a test
        </button>{' '}
        <span class="soft small">
          posthaul test, and every transform, will say if it becomes something else
        </span>
      </p>
      <div role="status">{answer && <Notice level={answer.level} title={answer.title} />}</div>
    </>
  )
}
