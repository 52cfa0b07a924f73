import { shortName } from '../kit/name.tsx'
import { Notice } from '../kit/notice.tsx'
import type { View } from './place.ts'
import type { Moment, PageSession } from './session.ts'

/** What stands in the way, above every view. */
export function Messages({ moment, session, view }: { moment: Moment; session: PageSession; view: View }) {
  const { stopped, conflict, problem, fault } = moment
  return (
    <div class="messages">
      {stopped && <Stopped retry={() => session.preview()} />}
      {conflict !== null && <Conflict moment={moment} session={session} />}
      {problem !== null && (
        <Notice level="error" title={shortName(problem.title, 1000)}>
          {problem.hint !== null && <p>{shortName(problem.hint, 1000)}</p>}
          <button type="button" onClick={() => session.dismiss()}>
            Close
          </button>
        </Notice>
      )}
      {fault !== null && view !== 'mapping' && (
        <Notice level="error" title="The mapping has a fault: what is shown is of the last text without one">
          <p>
            {shortName(fault.message, 1000)} <a href="#mapping">Mend it</a>
          </p>
        </Notice>
      )}
    </div>
  )
}

function Stopped({ retry }: { retry: () => void }) {
  return (
    <Notice level="error" title="posthaul studio does not answer">
      <p>
        It was ended, or this machine slept. Your text is still in this page: copy it from Mapping before you
        close the page. Started again, posthaul studio prints a new address.
      </p>
      <button type="button" onClick={retry}>
        Try again
      </button>
    </Notice>
  )
}

function Conflict({ moment, session }: { moment: Moment; session: PageSession }) {
  const theirs = moment.conflict!
  return (
    <Notice level="warning" title="Not saved: the file was changed by somebody else since this page read it">
      <p>
        {theirs.exists
          ? 'Nothing is lost yet. Decide whose text the file shall have.'
          : 'The file is gone. Save yours, and it is there again.'}
      </p>
      {theirs.exists && (
        <details>
          <summary>The text on disk</summary>
          <pre class="code">{theirs.yaml}</pre>
        </details>
      )}
      <div class="buttons">
        <button type="button" onClick={() => session.overwrite()}>
          Save mine over it
        </button>
        {theirs.exists && (
          <button type="button" onClick={() => session.takeTheirs()}>
            Take the text on disk
          </button>
        )}
        <button type="button" onClick={() => session.dismiss()}>
          Decide later
        </button>
      </div>
    </Notice>
  )
}
