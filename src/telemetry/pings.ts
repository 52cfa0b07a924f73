import type { Secret } from '../http/secret.ts'
import { Destination } from './destination.ts'
import { PING_POSTS, type PingedRun, type PingKind, type PingNews } from './ping-words.ts'

/** Who is told of a run. Addresses are secrets: a message shows no more than their host. */
export type PingAddresses = { readonly [Kind in PingKind]?: Secret | undefined }

const KINDS = Object.keys(PING_POSTS) as PingKind[]

/** Tells a healthcheck and a webhook that a run begins, waits and ends: the same news, each in its form. */
export class Pings {
  readonly #run: PingedRun
  readonly #warn: (message: string) => void
  readonly #destinations = new Map<PingKind, Destination>()

  constructor(run: PingedRun, warn: (message: string) => void) {
    this.#run = run
    this.#warn = warn
  }

  /** Tells these that the run has begun, and from now on all news. Of each kind the first one that is named counts. */
  begin(addresses: PingAddresses): void {
    for (const kind of KINDS) {
      const address = addresses[kind]
      if (!address || this.#destinations.has(kind)) continue
      const destination = new Destination(`the ${kind}`, address, this.#warn)
      this.#destinations.set(kind, destination)
      const post = PING_POSTS[kind](destination.url, this.#run, { event: 'start' })
      if (post) destination.post(post)
    }
  }

  /** Sends news, without waiting for the answers. */
  tell(news: PingNews): void {
    for (const [kind, destination] of this.#destinations) {
      const post = PING_POSTS[kind](destination.url, this.#run, news)
      if (post) destination.post(post)
    }
  }

  /** Sends the last news. Resolves within 5 s. */
  async end(news: PingNews): Promise<void> {
    await Promise.all(
      [...this.#destinations].map(([kind, destination]) => {
        const post = PING_POSTS[kind](destination.url, this.#run, news)
        return post && destination.end(post)
      }),
    )
  }
}
