import { render } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Notice } from '../kit/parts.tsx'
import { shortNumber } from '../kit/words.ts'
import { ask, RefusedRequest } from './api.ts'
import { Header, Messages } from './header.tsx'
import { ColumnTypes } from './parts/column-types.tsx'
import { FieldList, Rows } from './parts/field-list.tsx'
import { Questions } from './parts/questions.tsx'
import { hrefOf, useListener, usePlace, VIEWS, type View } from './place.ts'
import { type Moment, PageSession, ShownMoment, useShown } from './session.ts'
import { EventsView } from './views/events.tsx'
import { MappingView } from './views/mapping.tsx'
import { NextView } from './views/next.tsx'
import { OverviewView } from './views/overview.tsx'
import { PropertiesView } from './views/properties.tsx'
import { RecordsView, RejectsView } from './views/records.tsx'
import '../kit/theme.css'
import './studio.css'

/** Links to the views, with what there is in each. */
function Navigation({ view }: { view: View }) {
  const { model, setup } = useShown().moment
  const questions = (setup?.questions.length ?? 0) + (setup?.missing.length ?? 0)
  const counts: Partial<Record<View, number>> = {
    ...(questions > 0 && { setup: questions }),
    events: model.events.length,
    properties: model.properties.length,
    records: model.counts.records,
    rejects: model.counts.rejected,
  }
  return (
    <nav class="views" aria-label="Views">
      <ul>
        {Object.entries(VIEWS).map(([name, label]) => {
          const count = counts[name as View]
          return (
            <li key={name}>
              <a href={hrefOf(name as View)} aria-current={name === view ? 'page' : undefined}>
                {label}
                {count !== undefined && <span class="badge">{shortNumber(count)}</span>}
              </a>
            </li>
          )
        })}
      </ul>
    </nav>
  )
}

/** The page before there is anything to show. */
function Starting({ failure, retry }: { failure: Error | undefined; retry: () => void }) {
  return (
    <main>
      <h1>posthaul studio</h1>
      {failure === undefined ? (
        <p role="status">Reading the sample …</p>
      ) : (
        <Notice level="error" title={failure.message}>
          <p>
            {failure instanceof RefusedRequest
              ? (failure.refusal.hint ?? 'The terminal that posthaul studio runs in may say more.')
              : 'Is posthaul studio still running in its terminal? If not, start it again and open the address that it prints.'}
          </p>
          <button type="button" onClick={retry}>
            Try again
          </button>
        </Notice>
      )}
    </main>
  )
}

/** What a mapping needs before it works: answers, the places of the fields, the types of columns. */
function SetupView() {
  const { setup } = useShown().moment
  if (setup === null) return <p>The text of the mapping can't be read: mend it in Mapping first.</p>
  return (
    <>
      <Questions setup={setup} />
      {setup.hasColumns && <Rows setup={setup} />}
      <FieldList setup={setup} />
      {setup.hasColumns && <ColumnTypes />}
    </>
  )
}

const SHOW = {
  overview: OverviewView,
  setup: SetupView,
  events: EventsView,
  properties: PropertiesView,
  records: RecordsView,
  rejects: RejectsView,
  mapping: MappingView,
  next: NextView,
}

/** The page: loads once, then shows the moments of a session. */
export function App() {
  const [session, setSession] = useState<PageSession>()
  const [moment, setMoment] = useState<Moment>()
  const [failure, setFailure] = useState<Error>()
  const load = (): void => {
    setFailure(undefined)
    ask('state', {}).then((state) => {
      const made = new PageSession(state, setMoment)
      setSession(made)
      setMoment(made.moment)
    }, setFailure)
  }
  useEffect(load, [])
  if (session === undefined || moment === undefined) return <Starting failure={failure} retry={load} />
  return (
    <ShownMoment.Provider value={{ session, moment }}>
      <Studio />
    </ShownMoment.Provider>
  )
}

function Studio() {
  const { session, moment } = useShown()
  const { view, params } = usePlace()
  const heading = useHeadingFocus(view)
  useSaveKey(session)
  useListener('beforeunload', (event) => moment.yaml !== moment.mapping.yaml && event.preventDefault())
  const Show = SHOW[view]
  return (
    <>
      <button type="button" class="skip" onClick={() => heading.current?.focus()}>
        Skip to the content
      </button>
      <Header />
      <Navigation view={view} />
      <main id="content">
        <Messages view={view} />
        <h2 ref={heading} tabIndex={-1}>
          {VIEWS[view]}
        </h2>
        <Show params={params} />
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

function useSaveKey(session: PageSession): void {
  useListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey) return
    event.preventDefault()
    session.save()
  })
}

render(<App />, document.getElementById('studio')!)
