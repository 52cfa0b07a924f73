import {
  AROUND_ROWS,
  type AroundCall,
  type AroundKind,
  type AroundRow,
  type AroundSource,
  mergeAlike,
  type Untold,
} from '../../around/index.ts'
import { isUntold, orUntold } from '../not-told.ts'
import { annotationsOf } from './annotations.ts'
import { boardsOf } from './boards.ts'
import { bookmarkRow } from './bookmark-words.ts'
import { cohortMembers, cohortsOf } from './cohorts.ts'
import { lexiconEvents, lexiconOf, lexiconProperties } from './lexicon.ts'
import type { QueryApi } from './query-api.ts'
import { bookmarksOf } from './saved-reports.ts'

/** Mixpanel's APIs, whose quotas differ, and where people see the project. */
export interface MixpanelPlaces {
  readonly query: QueryApi
  readonly app: QueryApi
  readonly identity: string
  /** `https://mixpanel.com/project/42/app` */
  readonly application: string
}

/** What lies around the events of a project of Mixpanel. What it refuses to tell of one kind is said, and the others go on. */
export function mixpanelAround({ query, app, identity, application }: MixpanelPlaces): AroundSource {
  // Two kinds are read from each of these: the Lexicon answers 5 times a minute, and a dashboard is a request.
  const lexicon = once((call) => lexiconOf(app, call))
  const boards = once((call) => boardsOf(app, application, call))
  return {
    name: 'Mixpanel',
    identity,
    read: {
      events: told('events', async (call) => lexiconEvents(await lexicon(call), call)),
      properties: told('properties', async (call) => lexiconProperties(await lexicon(call))),
      annotations: told('annotations', (call) => annotationsOf(app, call)),
      cohorts: told('cohorts', (call) => cohortsOf(query, app, call)),
      reports: told('reports', async (call) => {
        const listed = await bookmarksOf(app, call)
        // Some reports are a dashboard's own, and may be in no list.
        const shown = await orUntold(boards(call))
        const own = isUntold(shown) ? [] : shown.flatMap((board) => board.reports)
        const reports = new Map([...own, ...listed].map((one) => [one.id, one]))
        return [...reports.values()].map((one) => bookmarkRow(one, application))
      }),
      dashboards: told('dashboards', async (call) => (await boards(call)).map(({ row }) => row)),
    },
    members: async (cohort, call) => {
      const group = cohort.more?.data_group_id
      if (group !== undefined) return { untold: `its members are groups (${String(group)}), and not people` }
      return orUntold(cohortMembers(query, cohort, call))
    },
    async close() {
      await Promise.all([query.close(), app.close()])
    },
  }
}

function once<T>(ask: (call: AroundCall) => Promise<T>): (call: AroundCall) => Promise<T> {
  let known: T | undefined
  return async (call) => {
    known ??= await ask(call)
    return known
  }
}

function told<K extends AroundKind>(
  kind: K,
  ask: (call: AroundCall) => Promise<AroundRow<K>[]>,
): (call: AroundCall) => Promise<readonly AroundRow<K>[] | Untold> {
  const rows = async (call: AroundCall) => mergeAlike(kind, heldRows(kind, await ask(call), call))
  return (call) => orUntold(rows(call))
}

/** The rows that a file holds: none without a name or a time. What is left out is said. */
function heldRows<K extends AroundKind>(kind: K, rows: AroundRow<K>[], { note }: AroundCall): AroundRow<K>[] {
  return rows.filter((row) => {
    const [issue] = AROUND_ROWS[kind].safeParse(row).error?.issues ?? []
    if (issue) note(`one of Mixpanel's ${kind} is left out (${issue.message}): ${JSON.stringify(row)}`)
    return !issue
  })
}
