import { z } from 'zod'
import { type AroundCall, type AroundCohort, type AroundSource, given, restOf } from '../../around/index.ts'
import { MS_PER_HOUR, MS_PER_SECOND, number } from '../../text/index.ts'
import type { Asking } from '../answer-bytes.ts'
import { isUntold, orUntold } from '../not-told.ts'
import { VendorError } from '../vendor-client.ts'
import { type AroundAsker, askAround, notTold, refusedAlone } from './asked-around.ts'
import { type CohortFile, fetchMembers } from './cohort-members.ts'

/*
 * The Behavioral Cohorts API (amplitude.com/docs/apis/analytics/behavioral-cohorts). The list is one answer. Members are ordered,
 * waited for and fetched as a file; an order counts against 60 in ten minutes and 500 a month, what follows does not.
 */
const words = z.string().nullish()
const COHORTS = z.object({
  cohorts: z.array(
    z.looseObject({
      id: z.string().min(1),
      name: words,
      description: words,
      definition: z.json().optional(),
      size: z.int().min(0).nullish(),
      archived: z.boolean().nullish(),
    }),
  ),
})
const id = z.union([z.string().min(1), z.int()]).transform(String)
const ORDER = z.object({ request_id: id, cohort_id: id })
const STATUS = z.object({ request_id: id, cohort_id: id, async_status: z.string() })

/** What changes by itself, and would make two pulls of the same things differ. */
const FLEETING = ['size', 'lastComputed', 'view_count', 'popularity', 'last_viewed']
const SAID = ['id', 'name', 'description', 'definition', ...FLEETING]

const DONE = 'JOB COMPLETED'
const RUNNING = 'JOB INPROGRESS'
const FIRST_POLL_MS = MS_PER_SECOND
const LAST_POLL_MS = 30 * MS_PER_SECOND
/** After so long the user is told what is waited for. */
const QUIET_MS = 20 * MS_PER_SECOND
/** No document says how long it may take. */
const DEADLINE_MS = 2 * MS_PER_HOUR
/** An order that Amplitude can't fill is given once more. */
const ORDERS = 2

/** A project's cohorts, and their members. `orders`: who may order cohorts, `others`: who may ask for the rest. */
export function behavioralCohorts(
  orders: AroundAsker,
  others: AroundAsker,
): Required<Pick<AroundSource, 'members'>> & Pick<AroundSource['read'], 'cohorts'> {
  const sizes = new Map<string, number>()

  const order = async ({ id }: AroundCohort, call: AroundCall): Promise<string> => {
    const asked = { call, what: 'order of a cohort', wants: [202, 200], expected: unfit }
    const path = `/api/5/cohorts/request/${encodeURIComponent(id)}`
    return (await askAround(orders, path, ORDER.refine(sameCohort(id)), asked)).request_id
  }

  const fetched = async (cohort: AroundCohort, call: AroundCall): Promise<CohortFile> => {
    for (let tries = 1; ; tries++) {
      const request = await order(cohort, call)
      const status = await completed(others, request, cohort, call)
      if (status === DONE) return await fetchMembers(others, request, { call, size: sizes.get(cohort.id) })
      if (tries === ORDERS) throw refusedAlone(200, `${status}, for its members`)
    }
  }

  return {
    /** Cohorts that the project may discover. */
    async cohorts(call) {
      const asked = { call, what: 'list of cohorts' }
      const told = await orUntold(askAround(others, '/api/3/cohorts', COHORTS, asked))
      if (isUntold(told)) return told
      return told.cohorts.map((cohort) => {
        const { id, name, description, definition, size } = cohort
        if (typeof size === 'number') sizes.set(id, size)
        return {
          ...{ id, name: name || `cohort ${id}`, file: null, members: null },
          ...given({ description }),
          ...(definition !== undefined && definition !== null && { definition }),
          ...given({ more: restOf(cohort, SAID) }),
        }
      })
    },

    /** The members of a cohort, which are on this machine's disk when this resolves. */
    async members(cohort, call) {
      if (cohort.more?.archived === true) return { untold: 'it is archived in Amplitude' }
      const group = groupOf(cohort.definition)
      if (group !== undefined) return { untold: `its members are groups (${group}), not people` }
      const told = await orUntold(fetched(cohort, call))
      if (isUntold(told)) return told
      if (told.withoutUser > 0) {
        const few = `${number(told.withoutUser)} of ${number(told.members)} members`
        call.note(`${cohort.name}: ${few} have no user id and are named amplitude:<amplitude_id>`)
      }
      return told.pages()
    },
  }
}

/** Waits for the end of an order, and says how it ended. */
async function completed(
  asker: AroundAsker,
  request: string,
  { id, name }: AroundCohort,
  call: AroundCall,
): Promise<string> {
  const { clock } = asker.retry
  const began = clock.now()
  const path = `/api/5/cohorts/request-status/${encodeURIComponent(request)}`
  const schema = STATUS.refine(sameCohort(id)).refine((told) => told.request_id === request, OTHER_COHORT)
  let isTold = false
  for (let waitMs = FIRST_POLL_MS; ; waitMs = Math.min(waitMs * 2, LAST_POLL_MS)) {
    const asked = { call, what: 'state of a cohort', wants: [200, 202] }
    const { async_status: status } = await askAround(asker, path, schema, asked)
    if (status !== RUNNING) return status
    const lasted = clock.now() - began
    if (lasted >= DEADLINE_MS) throw tooSlow(name)
    if (!isTold && lasted >= QUIET_MS) {
      isTold = true
      call.note(`Amplitude prepares the members of ${name}`)
    }
    await clock.sleep(waitMs, call.signal)
    call.signal.throwIfAborted()
  }
}

const OTHER_COHORT = 'it is of another cohort'
const sameCohort =
  (id: string) =>
  (told: { readonly cohort_id: string }): boolean =>
    told.cohort_id === id

/** What a cohort's members are, where they are no users: `countGroup` is `User` or `{name: 'User'}`. */
const countGroup = z.object({ countGroup: z.union([z.string(), z.object({ name: z.string() })]) })
function groupOf(definition: unknown): string | undefined {
  const told = countGroup.safeParse(definition).data?.countGroup
  const group = typeof told === 'object' ? told.name : told
  return group === undefined || group.toLowerCase() === 'user' ? undefined : group
}

/** A cohort that can't be downloaded, such as one of over 2,000,000 users. */
const unfit: Asking['expected'] = (status, words, text) =>
  status === 400 || status === 422 ? refusedAlone(status, words) : notTold(status, words, text)

function tooSlow(name: string): VendorError {
  return new VendorError(`Amplitude has not prepared the members of ${name} in two hours`, {
    code: 'unavailable',
    hint: 'run the same command again later: what is done is kept',
  })
}
