import type { Context, Next } from 'hono'
import { type NodeEnv, ORGANIZATION, type SandboxContext } from '../context.ts'
import { cutConnection, drip, portalPage, struckBy } from '../faults/commit.ts'
import type { Fault } from '../faults/fault.ts'
import type { PersonalKey, Throttle } from '../options.ts'
import { forbidden, notFound, sendApiError, serverError, throttled, unauthenticated } from './api-error.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

/**
 * Limits the requests of each personal key in a minute and in an hour. What it returns counts a request, and throws ApiError
 * `throttled` if it is over a limit.
 */
export function requestThrottle(
  { perMinute, perHour = Number.POSITIVE_INFINITY }: Throttle,
  now: () => number,
) {
  const timesOf = new Map<string, number[]>()
  return (key: string): void => {
    const at = now()
    const times = (timesOf.get(key) ?? []).filter((time) => time > at - HOUR_MS)
    const wait = Math.max(waitFor(times, perMinute, MINUTE_MS, at), waitFor(times, perHour, HOUR_MS, at))
    if (wait === 0) times.push(at)
    timesOf.set(key, times)
    if (wait === 0) return
    const seconds = Math.ceil(wait / 1000)
    throw throttled(
      `Request was throttled. Expected available in ${seconds} second${seconds === 1 ? '' : 's'}.`,
    )
  }
}

function waitFor(times: readonly number[], limit: number, windowMs: number, now: number): number {
  // The request that has to leave the window before another one fits in.
  const blocking = times[times.length - limit]
  return blocking === undefined || limit > times.length ? 0 : Math.max(0, blocking + windowMs - now)
}

type Middleware = (c: Context<NodeEnv>, next: Next) => Promise<Response | undefined>

/** The scopes of what is of no project, which a key that is limited to projects may ask all the same. */
const OF_NO_PROJECT = ['*', undefined]

/**
 * Lets a request through when its personal key exists, is not throttled, knows the project and has the scope. Without a scope
 * any key will do.
 */
export function access(context: SandboxContext): (scope?: string) => Middleware {
  const admit = context.throttle && requestThrottle(context.throttle, context.now)
  return (scope) => async (c, next) => {
    const fault = struckBy(context, 'api')
    const isDone = fault?.kind === 'lost' || fault?.kind === 'slow'
    if (fault && !isDone) return struckAnswer(c, fault)
    const key = findKey(c.req.header('authorization'), context)
    admit?.(key.key)
    const id = c.req.param('id')
    if (id !== undefined && id !== String(context.projectId)) {
      throw notFound('Project not found.')
    }
    if (!OF_NO_PROJECT.includes(scope)) assertOfKey(key, id)
    if (scope !== undefined && !mayBy(key, scope)) {
      throw forbidden(`API key missing required scope '${scope}'`)
    }
    await next()
    if (fault) {
      const whole = c.res
      c.res = undefined
      c.res = await struckAnswer(c, fault, whole)
    }
    return undefined
  }
}

function assertOfKey({ projects = [], organizations = [] }: PersonalKey, id: string | undefined): void {
  // The list of projects is cut to the organizations of the key.
  if (id !== undefined && organizations.length > 0 && !organizations.includes(ORGANIZATION))
    throw forbidden(`API key does not have access to the requested organization: ID ${ORGANIZATION}.`)
  if (projects.length === 0 || projects.some((one) => String(one) === id)) return
  throw forbidden(
    id === undefined
      ? 'API keys with scoped projects are only supported on project-based endpoints.'
      : `API key does not have access to the requested project: ID ${id}.`,
  )
}

/** Who may write may read. */
function mayBy({ scopes }: PersonalKey, scope: string): boolean {
  return ['*', scope, scope.replace(/:read$/, ':write')].some((one) => scopes.includes(one))
}

/** The key that a request carries. */
export function findKey(authorization: string | undefined, { personalKeys }: SandboxContext): PersonalKey {
  const token = /^Bearer\s+(\S+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined)
    throw unauthenticated('Authentication credentials were not provided.', 'not_authenticated')
  const found = personalKeys.find(({ key }) => key === token)
  if (found) return found
  const detail = 'Personal API key found in request Authorization header is invalid.'
  throw unauthenticated(detail, 'authentication_failed')
}

/** What becomes of an answer of the project API by a fault. `whole`: the answer to what was done; undefined if nothing was. */
export async function struckAnswer(
  c: Context<NodeEnv>,
  { kind, status = 500, retryAfter, ms }: Fault,
  whole?: Response,
): Promise<Response> {
  if (kind === 'html') return portalPage()
  if (kind === 'slow' && whole) return drip(c.env, whole, ms)
  if (kind !== 'status') return cutConnection(c.env)
  if (retryAfter !== undefined) c.header('Retry-After', retryAfter)
  return sendApiError(c, status === 429 ? throttled('Request was throttled.') : serverError(status))
}
