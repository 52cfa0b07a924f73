import { Name, shortName } from '../kit/name.tsx'
import { isUnsaved, type Moment, type PageSession } from './session.ts'

/** The name of the file, whether it is saved, and the buttons that save and take back. */
export function Header({ moment, session }: { moment: Moment; session: PageSession }) {
  const { mapping, past, saving, fault } = moment
  const last = past.at(-1)
  return (
    <header class="top">
      <h1>
        posthaul <span class="soft">studio</span>
      </h1>
      <p class="file">
        <span title={shortName(mapping.path, 300)}>
          <Name text={mapping.path.split(/[\\/]/).at(-1) ?? mapping.path} />
        </span>{' '}
        <SaveState moment={moment} />
      </p>
      <p class="status" role="status">
        {shortName(moment.said, 300)}
      </p>
      <div class="buttons">
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
          onClick={() => isUnsaved(moment) && session.save()}
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
      <a class="chip bad" href="#mapping">
        has a fault
      </a>
    )
  if (!moment.mapping.exists) return <span class="chip warn">not saved yet</span>
  if (isUnsaved(moment)) return <span class="chip warn">unsaved changes</span>
  return <span class="chip good">saved</span>
}
