import { useEffect, useState } from 'preact/hooks'

/** The views, in the order of the navigation: the name in the URL's hash, and the words on the page. */
export const VIEWS = {
  overview: 'Overview',
  setup: 'Set up',
  events: 'Events',
  properties: 'Properties',
  records: 'Records',
  rejects: 'Rejects',
  mapping: 'Mapping',
  next: 'Next',
} as const

export type View = keyof typeof VIEWS

/** What is shown: `#records?event=Signed+Up` is the records of one event. */
interface StudioPlace {
  readonly view: View
  readonly params: URLSearchParams
}

/** Reads a hash; one that names no view is the overview. */
export function readPlace(hash: string): StudioPlace {
  const [name = '', query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s)
  return {
    view: Object.hasOwn(VIEWS, name) ? (name as View) : 'overview',
    params: new URLSearchParams(query),
  }
}

/** Params that are undefined or empty are left out. Unpaired surrogates of a name become U+FFFD, which no hash can hold. */
export function hrefOf(view: View, params: Readonly<Record<string, string | undefined>> = {}): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(params)) if (value) query.set(name, value)
  return `#${view}${query.size === 0 ? '' : `?${query}`}`
}

/** The place that the page's address names, followed as it changes. */
export function usePlace(): StudioPlace {
  const [place, setPlace] = useState(() => readPlace(location.hash))
  useListener('hashchange', () => setPlace(readPlace(location.hash)))
  return place
}

/** Listens to the window while the component is shown. */
export function useListener<Name extends keyof WindowEventMap>(
  name: Name,
  listener: (event: WindowEventMap[Name]) => void,
): void {
  useEffect(() => {
    addEventListener(name, listener)
    return () => removeEventListener(name, listener)
  })
}

/** Puts a filter into the address without a step of the browser's history for each letter typed. */
export function replacePlace(view: View, params: Readonly<Record<string, string | undefined>>): void {
  history.replaceState(null, '', hrefOf(view, params))
  dispatchEvent(new HashChangeEvent('hashchange'))
}
