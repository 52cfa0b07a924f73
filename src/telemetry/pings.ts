import type { Secret } from '../http/secret.ts'
import { Destination, type Post } from './destination.ts'
import { healthcheckBody, healthcheckPath, type PingedRun, type PingNews, webhookBody } from './ping-words.ts'

/** Who is told of a run. Addresses are secrets: a message shows no more than their host. */
export interface PingAddresses {
  readonly healthcheck?: Secret | undefined
  readonly webhook?: Secret | undefined
}

/** Tells a healthcheck and a webhook that a run begins, waits and ends. */
export class Pings {
  readonly #run: PingedRun
  readonly #warn: (message: string) => void
  #healthcheck: Destination | undefined
  #webhook: Destination | undefined

  constructor(run: PingedRun, warn: (message: string) => void) {
    this.#run = run
    this.#warn = warn
  }

  /** Tells these that the run has begun, and from now on all news. Of each kind the first one that is named counts. */
  begin({ healthcheck, webhook }: PingAddresses): void {
    const isNew: Destination[] = []
    if (healthcheck && !this.#healthcheck) {
      this.#healthcheck = new Destination('the healthcheck', healthcheck, this.#warn)
      isNew.push(this.#healthcheck)
    }
    if (webhook && !this.#webhook) {
      this.#webhook = new Destination('the webhook', webhook, this.#warn)
      isNew.push(this.#webhook)
    }
    for (const [destination, post] of this.#posts({ event: 'start' })) {
      if (isNew.includes(destination)) destination.post(post)
    }
  }

  /** Sends news, without waiting for the answers. */
  tell(news: PingNews): void {
    for (const [destination, post] of this.#posts(news)) destination.post(post)
  }

  /** Sends the last news. Resolves within 5 s. */
  async end(news: PingNews): Promise<void> {
    await Promise.all(this.#posts(news).map(([destination, post]) => destination.end(post)))
  }

  #posts(news: PingNews): [Destination, Post][] {
    const posts: [Destination, Post][] = []
    const path = this.#healthcheck && healthcheckPath(this.#healthcheck.url, news)
    if (this.#healthcheck && path !== undefined) {
      const body = healthcheckBody(this.#run, news)
      posts.push([this.#healthcheck, { path, body, type: 'text/plain' }])
    }
    if (this.#webhook) {
      const { pathname, search } = this.#webhook.url
      const body = webhookBody(this.#run, news, new Date())
      posts.push([this.#webhook, { path: pathname + search, body, type: 'application/json' }])
    }
    return posts
  }
}
