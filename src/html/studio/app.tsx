import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { api } from './api.ts'
import { Header } from './header.tsx'
import { Messages } from './messages.tsx'
import { Navigation } from './navigation.tsx'
import { usePlace, VIEWS } from './place.ts'
import { isUnsaved, type Moment, Session } from './session.ts'
import { Starting } from './starting.tsx'
import { EventsView } from './views/events.tsx'
import { MappingView } from './views/mapping.tsx'
import { OverviewView } from './views/overview.tsx'
import { PeopleView } from './views/people.tsx'
import { PropertiesView } from './views/properties.tsx'
import { RecordsView } from './views/records.tsx'
import { RejectsView } from './views/rejects.tsx'
import { SetupView } from './views/setup.tsx'

const SHOW = {
  overview: OverviewView,
  setup: SetupView,
  events: EventsView,
  properties: PropertiesView,
  records: RecordsView,
  rejects: RejectsView,
  people: PeopleView,
  mapping: MappingView,
}

/** The page: loads once, then shows the moments of a session. */
export function App() {
  const [session, setSession] = useState<Session>()
  const [moment, setMoment] = useState<Moment>()
  const [failure, setFailure] = useState<Error>()
  const load = (): void => {
    setFailure(undefined)
    api.state().then((state) => {
      const made = new Session(state, setMoment)
      setSession(made)
      setMoment(made.moment)
    }, setFailure)
  }
  useEffect(load, [])
  if (session === undefined || moment === undefined) return <Starting failure={failure} retry={load} />
  return <Studio session={session} moment={moment} />
}

function Studio({ session, moment }: { session: Session; moment: Moment }) {
  const { view, params } = usePlace()
  const heading = useHeadingFocus(view)
  useSaveKey(session)
  useLeaveWarning(isUnsaved(moment) && moment.yaml !== moment.mapping.yaml)
  const Show = SHOW[view]
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the content
      </button>
      <Header moment={moment} session={session} />
      <Navigation view={view} moment={moment} />
      <main id="content">
        <Messages moment={moment} session={session} view={view} />
        <h2 ref={heading} tabIndex={-1}>
          {VIEWS[view]}
        </h2>
        <Show moment={moment} session={session} params={params} />
      </main>
      <footer class="soft small">
        posthaul {moment.version}. This page and its data stay on this machine.
      </footer>
    </>
  )
}

/** The heading of the view, which gets the focus when another view is opened, so that it is read out. */
function useHeadingFocus(view: string) {
  const heading = useRef<HTMLHeadingElement>(null)
  const before = useRef(view)
  // Not useEffect, which waits for a frame: the focus could be somewhere else by then.
  useLayoutEffect(() => {
    if (before.current !== view) {
      scrollTo(0, 0)
      heading.current?.focus({ preventScroll: true })
    }
    before.current = view
  }, [view])
  return heading
}

function useSaveKey(session: Session): void {
  useEffect(() => {
    const save = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
      event.preventDefault()
      session.save()
    }
    addEventListener('keydown', save)
    return () => removeEventListener('keydown', save)
  }, [session])
}

function useLeaveWarning(unsaved: boolean): void {
  useEffect(() => {
    if (!unsaved) return
    const warn = (event: Event): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [unsaved])
}
