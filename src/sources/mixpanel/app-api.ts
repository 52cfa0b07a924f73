import { z } from 'zod'
import { NotTold } from '../not-told.ts'
import { VendorError } from '../vendor-client.ts'
import type { MixpanelCall, QueryApi, QueryParameters } from './query-api.ts'

/** Knows what is refused of one question: by the plan, to the role, or for want of an address. Wrong credentials (401) are no such refusal. */
export function mixpanelRefusal(status: number, words: string): NotTold | undefined {
  if (status !== 402 && status !== 403 && status !== 404) return undefined
  const hint = 'check MIXPANEL_PROJECT_ID, the region, and the role of the service account'
  return new NotTold(`Mixpanel answered ${status}: ${words}`, {
    code: status === 403 ? 'auth' : 'config',
    hint,
  })
}

interface AppQuestion<T> {
  /** Below the project. */
  readonly path: string
  readonly query?: QueryParameters
  readonly row: z.ZodType<T>
}

/**
 * All rows of a list of Mixpanel's application API. `{results: […]}` is documented; the reports come as
 * `{results: {results: […]}}`, too, and `pagination.next_cursor` leads to more, as its own open client reads it
 * (github.com/mixpanel/mixpanel-headless).
 */
export async function appList<T>(
  api: QueryApi,
  { path, query, row }: AppQuestion<T>,
  call: MixpanelCall,
): Promise<T[]> {
  const pagination = z.looseObject({ next_cursor: z.string().nullish() }).nullish()
  const list = z.object({ results: z.array(row), pagination })
  const answer = z.union([list, z.object({ results: list }).transform(({ results }) => results)])
  const rows: T[] = []
  const cursors = new Set<string>()
  for (;;) {
    const cursor = [...cursors].at(-1)
    const page = await askApp(
      api,
      { path, query: { ...query, ...(cursor && { cursor }) }, row: answer },
      call,
    )
    for (const one of page.results) rows.push(one)
    const next = page.pagination?.next_cursor
    if (!next) return rows
    if (cursors.has(next)) {
      const message = `Mixpanel gives the same page of ${path} again and again`
      throw new VendorError(message, { code: 'unavailable' })
    }
    cursors.add(next)
  }
}

/** One thing of the application API. Throws NotTold where there is none for this account. */
export async function appThing<T>(
  api: QueryApi,
  { row, ...question }: AppQuestion<T>,
  call: MixpanelCall,
): Promise<T> {
  return (await askApp(api, { ...question, row: z.object({ results: row }) }, call)).results
}

async function askApp<T>(
  api: QueryApi,
  { path, query, row }: AppQuestion<T>,
  call: MixpanelCall,
): Promise<T> {
  if (api.projectId === undefined) {
    const hint = 'set MIXPANEL_PROJECT_ID'
    throw new VendorError('what a project has besides events is listed by its id', { code: 'config', hint })
  }
  const parameters = new URLSearchParams(query).toString()
  const address = `/api/app/projects/${api.projectId}/${path}${parameters && `?${parameters}`}`
  return await api.ask(address, row, call, { expected: mixpanelRefusal })
}
