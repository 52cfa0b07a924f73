import { type FakeOptions, FakeVendor, type MischiefKind, type Reply, type Seen } from './fake.ts'

export interface FakeMatomoOptions extends FakeOptions {
  /** Visits as JSON texts, by day. */
  readonly visits: Readonly<Record<string, readonly string[]>>
  readonly zone?: string
  /** Pages of more visits than this take too long. */
  readonly most?: number
  /** What every question is answered, as Matomo refuses: with the status 200. */
  readonly refuses?: string
}

/** Matomo's reporting API: the visits of a day in pages, and the site's zone. */
export class FakeMatomo extends FakeVendor {
  token = '0123456789abcdef0123456789abcdef'
  refuses: string | undefined
  readonly #options: FakeMatomoOptions

  constructor(options: FakeMatomoOptions) {
    super(options)
    this.#options = options
    this.refuses = options.refuses
  }

  protected reply({ url, body, method }: Seen, _struck: MischiefKind | undefined): Reply {
    if (method !== 'POST' || url.pathname !== '/stats/index.php') return { status: 404, body: 'no such page' }
    const form = new URLSearchParams(body)
    if (form.get('token_auth') !== this.token) {
      return refused('Unable to authenticate with the provided token. It is either invalid or expired.')
    }
    if (this.refuses !== undefined) return refused(this.refuses)
    if (form.get('method') === 'SitesManager.getSiteFromId') {
      return json(
        JSON.stringify({ idsite: form.get('idSite'), timezone: this.#options.zone ?? 'Europe/Berlin' }),
      )
    }
    const [limit, offset] = [Number(form.get('filter_limit') ?? '10'), Number(form.get('filter_offset'))]
    const { most = Number.POSITIVE_INFINITY, visits } = this.#options
    if (limit > most) {
      return refused('The query took too long: the live_query_max_execution_time was reached. Ask for less.')
    }
    const page = (visits[form.get('date') ?? ''] ?? []).slice(offset, offset + limit)
    return json(`[${page.join(',\n')}]`)
  }
}

function refused(message: string): Reply {
  return json(JSON.stringify({ result: 'error', message }))
}

function json(body: string): Reply {
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, body }
}
