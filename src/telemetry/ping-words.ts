import type { ExitName } from '../errors.ts'
import { visible } from '../text/visible.ts'
import { span } from '../text/words.ts'
import type { PostDestination } from './destination.ts'
import type { Entry, FateCounts } from './entry.ts'

/** The version of the webhook's JSON, which docs/unattended.md has. Members are added, never renamed. */
const WEBHOOK_VERSION = 1
/** An error can repeat much of an answer. */
const MOST_WORDS = 600

/** Whose run it is. */
export interface PingedRun {
  readonly command: string
  readonly host: string
  readonly startedAt: Date
}

/** What is told of a run: that it began, that it has waited for long, or how it ended. */
export type PingNews =
  | { readonly event: 'start' }
  | {
      readonly event: 'pause'
      readonly cause: string
      readonly waitedMs: number
      readonly counts: FateCounts | null
    }
  | {
      readonly event: 'end'
      /** The run's last line. */
      readonly result: Entry
      readonly outcome: ExitName
      readonly error: PingedError | undefined
    }

/** An error as a user reads it. */
export interface PingedError {
  readonly message: string
  readonly hint: string | null
}

/**
 * What is added to a healthcheck's address for each way to end. Success and failure are for what a person need not, or
 * must, look at. What the next run mends is neither: the service alerts when no success comes in its time.
 */
const ENDPOINTS: Readonly<Record<ExitName, '' | '/fail' | '/log'>> = {
  done: '',
  rejects: '/fail',
  bug: '/fail',
  usage: '/fail',
  auth: '/fail',
  mismatch: '/fail',
  paused: '/log',
  locked: '/log',
  sighup: '/log',
  sigint: '/log',
  sigterm: '/log',
}

/** Whom news is told, and the request that tells it to an address; undefined for news that this one is not told. */
export const PING_POSTS = {
  healthcheck: (url: URL, run: PingedRun, news: PingNews): PostDestination | undefined => {
    const path = healthcheckPath(url, news)
    return path === undefined ? undefined : { path, body: healthcheckBody(run, news), type: 'text/plain' }
  },
  webhook: ({ pathname, search }: URL, run: PingedRun, news: PingNews): PostDestination | undefined => ({
    path: pathname + search,
    body: webhookBody(run, news, new Date()),
    type: 'application/json',
  }),
}

export type PingKind = keyof typeof PING_POSTS

/** The path and query of a healthcheck's address for this news; undefined if it is not told. The query stays the last. */
export function healthcheckPath({ pathname, search }: URL, news: PingNews): string | undefined {
  if (news.event === 'pause') return undefined
  const endpoint = news.event === 'start' ? '/start' : ENDPOINTS[news.outcome]
  return (pathname.replace(/\/+$/, '') + endpoint || '/') + search
}

/** A few lines for a person: what happened, and the error's words. */
export function healthcheckBody(run: PingedRun, news: PingNews): string {
  return `${[sentence(run, news), ...errorLines(news)].join('\n')}\n`
}

/** The webhook's JSON, one object. Its `text` is what a chat shows. */
export function webhookBody(run: PingedRun, news: PingNews, at: Date): string {
  const { command, host, startedAt } = run
  const text = [sentence(run, news), ...errorLines(news)].join('\n')
  return JSON.stringify({
    version: WEBHOOK_VERSION,
    event: news.event,
    text: inChat(text),
    command,
    host,
    started_at: startedAt.toISOString(),
    at: at.toISOString(),
    ...membersOf(news),
  })
}

function membersOf(news: PingNews): Readonly<Record<string, unknown>> {
  const none = { result: null, exit_code: null, finished: null, seconds: null, counts: null, error: null }
  switch (news.event) {
    case 'start':
      return { ...none, waiting: null }
    case 'pause': {
      const { cause, waitedMs, counts } = news
      return { ...none, counts, waiting: { cause, seconds: Math.round(waitedMs / 1000) } }
    }
    case 'end': {
      const { exit_code, finished, seconds, counts } = news.result.members ?? {}
      const error = news.error
        ? { message: told(news.error.message), hint: news.error.hint === null ? null : told(news.error.hint) }
        : null
      return { result: news.outcome, exit_code, finished, seconds, counts, error, waiting: null }
    }
  }
}

function sentence({ command, host }: PingedRun, news: PingNews): string {
  return `posthaul ${command} on ${host}: ${whatHappened(news)}`
}

function whatHappened(news: PingNews): string {
  if (news.event === 'start') return 'begun'
  if (news.event === 'end') return told(news.result.message)
  return `no progress for ${span(news.waitedMs)} (${told(news.cause)}); still trying`
}

function errorLines(news: PingNews): string[] {
  if (news.event !== 'end' || !news.error) return []
  const { message, hint } = news.error
  return [message, ...(hint === null ? [] : [hint])].map(told)
}

/** One line without control characters. Folders are left out: where keys and data lie is nobody's business elsewhere. */
function told(text: string): string {
  const line = text.split('\n')[0]!.replaceAll(/(?<![\w/:.])(?:~|\.{1,2})?\/(?:[^\s/'"]+\/)+/g, '…/')
  return visible(line.length > MOST_WORDS ? `${line.slice(0, MOST_WORDS)}…` : line)
}

/** Without what Slack would obey, such as `<!channel>` in a server's answer: https://api.slack.com/reference/surfaces/formatting */
function inChat(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
