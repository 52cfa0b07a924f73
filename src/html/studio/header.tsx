import type { MappingText } from '../../studio/studio-data.ts'
import { Name, Notice, shortName } from '../kit/parts.tsx'
import type { View } from './place.ts'
import { isUnsaved, type Moment, type PageSession, useShown } from './session.ts'

/** The name of the file, whether it is saved, and the buttons that save and take back. */
export function Header() {
  const { moment, session } = useShown()
  const { mapping, past, saving, fault } = moment
  const last = past.at(-1)
  return (
    <header class="top">
      <h1>
        posthaul <span class="soft">studio</span>
      </h1>
      <p>
        <span title={shortName(mapping.path, 300)}>
          <Name text={mapping.path.split(/[\\/]/).at(-1) ?? mapping.path} />
        </span>{' '}
        <SaveState moment={moment} />
      </p>
      <p class="status" role="status">
        {shortName(moment.said, 300)}
      </p>
      <div class="line">
        {last !== undefined && (
          <button type="button" onClick={() => session.undo()} title={`Undo: ${last.what}`}>
            Undo
          </button>
        )}
        <button
          type="button"
          class="main-button"
          aria-keyshortcuts="Control+S Meta+S"
          title={fault === null ? 'Ctrl+S or ⌘S' : 'Mend the fault first'}
          aria-disabled={!isUnsaved(moment) || saving}
          onClick={() => session.save()}
        >
          {saving ? 'Saving …' : 'Save'}
        </button>
      </div>
    </header>
  )
}

function SaveState({ moment }: { moment: Moment }) {
  if (moment.fault !== null)
    return (
      <a class="chip error" href="#mapping">
        has a fault
      </a>
    )
  if (!moment.mapping.exists) return <span class="chip warning">not saved yet</span>
  if (isUnsaved(moment)) return <span class="chip warning">unsaved changes</span>
  return <span class="chip good">saved</span>
}

/** What stands in the way, above every view. */
export function Messages({ view }: { view: View }) {
  const { moment, session } = useShown()
  const { conflict, problem, fault, setup } = moment
  const { missing = [] } = setup ?? {}
  return (
    <div>
      {conflict !== null && <Conflict theirs={conflict} session={session} />}
      {problem !== null && (
        <Notice level="error" title={shortName(problem.title, 1000)}>
          {problem.hint !== null && <p>{shortName(problem.hint, 1000)}</p>}
          <button type="button" onClick={() => session.dismiss()}>
            Close
          </button>
        </Notice>
      )}
      {fault !== null && missing.length > 0 && (
        <Notice level="warning" title="The mapping is not whole yet">
          <p>
            Still to be chosen: {missing.join(', ')}. {view !== 'setup' && <a href="#setup">Choose</a>}
          </p>
        </Notice>
      )}
      {fault !== null && missing.length === 0 && view !== 'mapping' && (
        <Notice level="error" title="The mapping has a fault: what is shown is of the last text without one">
          <p>
            {shortName(fault.message, 1000)} <a href="#mapping">Mend it</a>
          </p>
        </Notice>
      )}
    </div>
  )
}

function Conflict({ theirs, session }: { theirs: MappingText; session: PageSession }) {
  return (
    <Notice level="warning" title="Not saved: the file was changed by somebody else since this page read it">
      <p>Nothing is lost yet: save yours over it, or load this page again to take the text on disk.</p>
      <details>
        <summary>The text on disk</summary>
        <pre class="code">{theirs.yaml}</pre>
      </details>
      <button type="button" onClick={() => session.save(theirs)}>
        Save mine over it
      </button>
    </Notice>
  )
}
