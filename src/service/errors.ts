import { z } from 'zod'
import { type ErrorDetails, PosthaulError } from '../errors.ts'
import { isPassing, retryAfterMs } from '../http/retry.ts'
import type { Answer } from '../http/transport.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { parsedOrNone } from '../text/json.ts'
import { VERSION } from '../version.ts'
import { hasScope, type PersonalKey } from './personal-key.ts'

/** What a request asks for, so that an error can say it in the user's words. */
export interface AskedOf {
  /** Such as `the groups of type 0`. */
  readonly what: string
  /** The scope that the key needs for it. */
  readonly scope: string
  readonly projectId?: string
  /** Nothing depends on the answer: one try, and a server that says nothing is not waited for long. */
  readonly isOptional?: boolean
  /** The service may take the question with a 202 and answer later: who asks looks again. */
  readonly comesLater?: boolean
}

/** The service refused a request. The message contains the service's own words. */
export class ServiceError extends PosthaulError {
  readonly status: number
  /** A smaller request could succeed: this one's answer was too large, or took the service too long. */
  readonly heavy: boolean

  constructor(
    message: string,
    { status, heavy }: Pick<ServiceError, 'status' | 'heavy'>,
    details: ErrorDetails,
  ) {
    super(message, details)
    this.name = 'ServiceError'
    this.status = status
    this.heavy = heavy
  }
}

// The words of `type` and `code` differ between versions of the service, so that nothing is decided by them.
const errorBody = z.object({ detail: z.string(), attr: z.string().nullish() })
/** What a query that was answered later failed of. */
const lateError = z
  .object({ query_status: z.object({ error_message: z.string() }) })
  .transform(({ query_status }): z.infer<typeof errorBody> => ({ detail: query_status.error_message }))

const MAX_WORDS = 300

// The query endpoint reports some of its limits with status 400 and these words.
const TOO_MUCH = /memory|too (?:expensive|slow|large|many bytes)|timed? ?out|estimated/i

/** How the service names a scope that a key lacks. */
export const MISSING_SCOPE = /missing required scope '([\w:]+)'/

/** Who asked, and when. */
interface Asker {
  readonly settings: ApiSettings
  /** What the key may do, where that is known. */
  readonly key?: PersonalKey | undefined
  /** When the answer came, in ms since the epoch. */
  readonly now: number
}

/** Makes an error of an answer that is not a 200 with JSON. */
export function serviceError(
  answer: Answer,
  subject: AskedOf,
  { settings, key: known, now }: Asker,
): ServiceError {
  const { status } = answer
  const at = settings.origin.value
  const { detail, attr } = wordsOf(answer)
  const said = shown(answer, detail)
  const heavy =
    answer.truncated || status === 504 || status === 512 || (status === 400 && TOO_MUCH.test(detail))
  const fail = (message: string, details: ErrorDetails) =>
    new ServiceError(`${at}: ${message}`, { status, heavy }, details)
  if (answer.truncated) {
    return fail(`the answer about ${subject.what} is larger than posthaul reads at once`, {
      code: 'unavailable',
    })
  }
  if (status >= 300 && status < 400) {
    return fail(`answered with a redirect${redirectTarget(answer)}; keys are never sent to another address`, {
      code: 'config',
      hint: `set ${settings.origin.from} to the address itself`,
    })
  }
  if (!isPassing(status) && isHtmlPage(answer)) {
    return fail(`answered with a web page (${status}) where data was expected`, {
      code: 'config',
      hint: `check ${settings.origin.from}; a sign-in page or a proxy may be in the way`,
    })
  }
  const keys = `${at}/settings/user-api-keys`
  const key = `the personal key from ${settings.personalKey.from}`
  if (status === 401) {
    return fail(`${key} is not valid: ${said}`, { code: 'auth', hint: `make a new one at ${keys}` })
  }
  if (status === 403) {
    const scope = MISSING_SCOPE.exec(detail)?.[1]
    return scope
      ? fail(`${key} lacks the scope ${shown(answer, scope)}, which is needed for ${subject.what}`, {
          code: 'auth',
          hint: `add the scope to the key, or make another, at ${keys}`,
        })
      : fail(`${key} may not read ${subject.what}: ${said}`, {
          code: 'auth',
          hint: refusedHint(subject, detail, known, keys),
        })
  }
  if (status === 404 && subject.projectId !== undefined && !/endpoint/i.test(detail)) {
    return fail(`project ${subject.projectId} does not exist, or the key may not see it`, {
      code: 'config',
      hint: 'set POSTHOG_PROJECT_ID to one that posthaul projects list shows',
    })
  }
  if (status === 404 || status === 405) {
    return fail(`does not know ${subject.what}: ${said}`, {
      code: 'config',
      hint: 'check the address; the server may be older or newer than this endpoint',
    })
  }
  // A 2xx that nobody asked for comes from something in between.
  if (isPassing(status) || (status >= 200 && status < 300)) {
    const waitMs = retryAfterMs(answer.headers['retry-after'], now) ?? waitInWords(detail)
    return fail(`${subject.what}: ${status} ${said}`, {
      code: 'unavailable',
      // With 512 the query is too expensive, and would be again.
      fate: status === 512 ? 'stop' : 'retry',
      ...(waitMs !== undefined && { waitMs }),
      hint: 'the service is busy or down; try again later',
    })
  }
  return fail(`${subject.what}: ${status} ${said}${attr ? ` (parameter ${shown(answer, attr)})` : ''}`, {
    code: 'usage',
  })
}

/** What to do about a refusal that names no scope. A scope that the key has is not asked for. */
function refusedHint(
  { scope, projectId }: AskedOf,
  detail: string,
  key: PersonalKey | undefined,
  keys: string,
): string {
  if (/requested organization/.test(detail))
    return `the key is limited to other organizations: give it that of the project, at ${keys}`
  // Only the list of projects is refused in these words, to a key of which the server says no more.
  if (/scoped projects/.test(detail)) return 'the key is limited to chosen projects: set POSTHOG_PROJECT_ID'
  if (!key || !hasScope(key, scope)) return `give the key the scope ${scope} and this project, at ${keys}`
  const { projects } = key
  if (projectId !== undefined && projects.length > 0 && !projects.map(String).includes(projectId)) {
    const chosen = projects.join(', ')
    return `the key is limited to ${chosen}: set POSTHOG_PROJECT_ID to that project, or give the key this one, at ${keys}`
  }
  return `the key has the scope ${scope}: ask an admin of the organization what its user may do there`
}

/** The milliseconds that a refusal asks to wait in its words, where it has no Retry-After. */
export function waitInWords(detail: string): number | undefined {
  const words = /available in (\d+) second/.exec(detail)
  return words ? Number(words[1]) * 1000 : undefined
}

/** The error for an answer that arrived but has an unexpected shape. `problem` names the field. */
export function shapeError(origin: string, what: string, problem: string): PosthaulError {
  return new PosthaulError(`${origin}: the answer about ${what} is not as expected: ${problem}`, {
    code: 'unavailable',
    hint: `posthaul ${VERSION} may not know this server's version; please report the line above`,
  })
}

/** True if the body is HTML, whatever the status. */
export function isHtmlPage(answer: Answer): boolean {
  const head = answer.bytes.toString('latin1', 0, 100)
  return /\bhtml\b/i.test(answer.headers['content-type'] ?? '') || /^\s*<(?:!doctype|html)/i.test(head)
}

function wordsOf(answer: Answer): z.infer<typeof errorBody> {
  const said = errorBody.or(lateError).safeParse(parsedOrNone(answer.body))
  return said.data ?? { detail: isHtmlPage(answer) ? '(a web page)' : answer.body.trim() || '(no message)' }
}

/** Words of an answer as they are shown. Secrets are taken out before it is cut: half of one would not be known. */
function shown({ redact }: Answer, all: string): string {
  const words = redact(all)
  return words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}…` : words
}

function redirectTarget(answer: Answer): string {
  const { location } = answer.headers
  // The query is left out: that of a redirect to a sign-in page contains the whole request.
  return location ? ` to ${shown(answer, location.split('?')[0]!)}` : ''
}
