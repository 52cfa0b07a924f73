import { PosthaulError } from '../errors.ts'
import type { SourcePlace } from './event-table.ts'

/** The run pauses at this many refusals in a row: the events are hardly at fault. */
const MOST_IN_A_ROW = 20

/**
 * The service's refusals of single events, numbered from 1. One alone does not tell whether the event is bad or whatever
 * answers takes none at all. So a refusal is in doubt until the service takes an event that was sent after it.
 */
export class Refusals {
  /** How many there were: the number of the last one. */
  count = 0
  #confirmed = 0
  #reason = ''
  readonly #accepted: boolean

  /** `accepted`: the user says that the events are bad, so none is in doubt. */
  constructor(accepted: boolean) {
    this.#accepted = accepted
  }

  /** Those up to this number are not in doubt. */
  get confirmed(): number {
    return this.#accepted ? this.count : this.#confirmed
  }

  /** How many are in doubt. */
  get inDoubt(): number {
    return this.count - this.confirmed
  }

  /** Counts a refusal and returns its number. Throws `paused` at the last of too many in a row. */
  add(reason: string): number {
    this.count++
    this.#reason = reason
    if (this.inDoubt < MOST_IN_A_ROW) return this.count
    throw this.paused(`the service refused ${this.inDoubt} events in a row and took none between`)
  }

  /** The service took an event. Its request was begun when there were `count` refusals. */
  confirm(count: number): void {
    this.#confirmed = Math.max(this.#confirmed, count)
  }

  /** The refused events that are in doubt, in words. */
  get words(): string {
    return this.inDoubt === 1 ? 'the last event' : `the last ${this.inDoubt} events`
  }

  /** The pause over refusals that are in doubt. */
  paused(what: string): PosthaulError {
    return new PosthaulError(`${what}: ${this.#reason}`, {
      code: 'paused',
      hint:
        'they wait in the checkpoint: none is lost, and none is a reject. Check the project, the key and what stands ' +
        'between, such as a proxy; then run the same command again. If the events themselves are bad, add ' +
        '--accept refusals, which makes rejects of them',
    })
  }
}

// Why sending stops, for a person who reads it.

const LATER = 'what was taken is saved; run the same command again later'
const TIME_IS_UP = 'the time given by --stop-after has passed'
const TRY_BATCH = 'a server without Capture V1 answers so too: try --via batch'

/** Something else than the service answered the first request. */
export function notOurService(reason: string, noRoute: true | undefined): PosthaulError {
  return new PosthaulError(`the service was not reached: ${reason}`, {
    code: 'unavailable',
    hint: noRoute
      ? `check the address (--region, POSTHOG_INGEST_HOST); ${TRY_BATCH}`
      : 'check the address (--region, POSTHOG_INGEST_HOST), and whether a proxy (HTTPS_PROXY) or a login page is in between',
  })
}

/** The time for retries is over. */
export function spent(reason: string, noRoute: boolean): PosthaulError {
  return new PosthaulError(`the service did not take the events in the time given for retries: ${reason}`, {
    code: 'unavailable',
    hint: noRoute ? `${LATER}; ${TRY_BATCH}` : LATER,
  })
}

/** The run's time is up in a run of failures: that is not the stop that was asked for. */
export function timeUpInOutage(reason: string): PosthaulError {
  return new PosthaulError(`${TIME_IS_UP}, and the service did not take the last request: ${reason}`, {
    code: 'unavailable',
    hint: LATER,
  })
}

/** What a run whose time is up says of refusals that are in doubt. */
export function timeUpInDoubt(refused: string): string {
  return `${TIME_IS_UP}, and the service refused ${refused}`
}

/** The service takes larger requests than this, so no word of its own is in the answer. */
export function tooLargeForProxy(reason: string, bytes: number, { line, file }: SourcePlace): PosthaulError {
  const where = file === undefined ? `line ${line}` : `line ${line} of ${file}`
  return new PosthaulError(
    `a proxy in between takes no request of ${bytes} bytes, which the event of ${where} needs: ${reason}`,
    {
      code: 'paused',
      hint:
        'nothing is lost, and the event is no reject: it waits in the checkpoint. Raise the limit of the proxy (of nginx: ' +
        'client_max_body_size) or go around it, then run the same command again',
    },
  )
}

/** The service takes no event for now. */
export function paused(reason: string): PosthaulError {
  return new PosthaulError(`the service takes no more events for now: ${reason}`, {
    code: 'paused',
    hint: 'what was taken is saved; raise the limit in the billing settings or wait, then run the same command again',
  })
}

/** The service takes no event of one kind for now. The batch waits, since its other events merge when they come again. */
export function pausedOverKind(event: string, word: string): PosthaulError {
  return new PosthaulError(`the service takes no more events like ${event} for now: ${word}`, {
    code: 'paused',
    hint:
      'none is lost: their batch waits in the checkpoint. Raise the limit in the billing settings or wait, then run the ' +
      'same command again; or add --accept refusals, which makes rejects of them',
  })
}

/** Capture V1 answered a whole request without a word that is known. `word`: its own; undefined if it named no event. */
export function unconfirmed(word: string | undefined): PosthaulError {
  const what =
    word === undefined ? 'its answer names none of the events that were sent' : `its answer is '${word}'`
  return new PosthaulError(`Capture V1 does not say whether it stored the events: ${what}`, {
    code: 'paused',
    hint:
      'they wait in the checkpoint, and count as nothing yet. Run the same command again: what was stored merges. If it ' +
      'says the same again, go on with --via batch, and look for a newer posthaul',
  })
}

/** The service takes no event under this key. */
export function fatal(reason: string): PosthaulError {
  return new PosthaulError(`the service refuses this key: ${reason}`, {
    code: 'auth',
    hint: 'check POSTHOG_PROJECT_API_KEY and the region it belongs to; what was taken is saved',
  })
}

/** Capture V1 of this service does not take what posthaul sends. */
export function misfit(reason: string): PosthaulError {
  return new PosthaulError(`the service takes no import by Capture V1: ${reason}`, {
    code: 'config',
    hint:
      'what was taken is saved, and nothing is lost. Check the address, and whether a proxy changes the headers of ' +
      'requests; or go on with --via batch: what was sent merges',
  })
}
