import { gzipSync } from 'node:zlib'
import { retrying } from '../../../src/http/retry.ts'
import { exportWindow } from '../../../src/sources/amplitude/events.ts'
import { amplitudeReport } from '../../../src/sources/amplitude/report.ts'
import { siteOf, visitsOfDay } from '../../../src/sources/matomo/matomo.ts'
import { exportDay } from '../../../src/sources/mixpanel/events.ts'
import { mixpanelReport } from '../../../src/sources/mixpanel/mixpanel.ts'
import { engagePages, engagePath } from '../../../src/sources/mixpanel/profiles.ts'
import { DownloadApi } from '../../../src/sources/posthog/download-api.ts'
import { fetchSigned, linesOfFile } from '../../../src/sources/posthog/download-file.ts'
import { readyRun } from '../../../src/sources/posthog/download-run.ts'
import { exportEvents } from '../../../src/sources/posthog/events.ts'
import { PersonColumn, personState } from '../../../src/sources/posthog/person-column.ts'
import { emptinessOf, exportPersons } from '../../../src/sources/posthog/posthog.ts'
import { queryPath } from '../../../src/sources/posthog/query.ts'
import { posthogReport } from '../../../src/sources/posthog/report.ts'
import type { PieceCall } from '../../../src/sources/source.ts'
import type { VendorClient } from '../../../src/sources/vendor-client.ts'
import type { VendorSource } from '../../../src/sources/vendor-source.ts'
import { vendorNamed } from '../../../src/sources/vendors.ts'
import { patience } from '../../helpers/patience.ts'
import { makeZip } from '../../helpers/zip.ts'
import { type Answer, says } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'
import { type Asking, all, type Endpoint, json, UUID, Verdict, withVendor } from './endpoint.ts'

const DAY = { name: '2024-01-31', start: Date.UTC(2024, 0, 31), end: Date.UTC(2024, 1, 1) }
const HOUR = { ...DAY, name: '2024-01-31T00', end: DAY.start + 3_600_000 }
const QUESTION = { first: DAY.name, last: DAY.name, events: ['Zürich'] }
const TIME = '2024-01-31 12:34:56.789123'
const MIXPANEL_LINE = '{"event":"Zürich","properties":{"time":1706704496789,"distinct_id":"a"}}\n'

/** A vendor's endpoint, asked as a piece of an export is: what is retried is asked again. */
function vendor(
  name: string,
  struck: RegExp,
  right: unknown | ((request: Received) => Answer),
  ask: (client: VendorClient, call: PieceCall) => Promise<unknown>,
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    name,
    struck,
    proof: 'value',
    client: 'vendor',
    // A day may be empty, and a report may count nothing.
    nothing: [[], '0: ', '2: \r\n'],
    right: typeof right === 'function' ? (right as (request: Received) => Answer) : () => json(right),
    ask: (asking) =>
      withVendor(asking, name.split(':')[0]!, (client, call) =>
        retrying(() => ask(client, call), call.retry),
      ),
    ...more,
  }
}

/** Of much text its length and its beginning. */
async function textOf(lines: AsyncIterable<Buffer>): Promise<string> {
  let [text, length] = ['', 0]
  for await (const chunk of lines) {
    if (length < 10_000) text += chunk.toString()
    length += chunk.length
  }
  return `${length}: ${text}`
}

/** Whether a vendor lets somebody in, as doctor tries it. */
function login(
  source: Pick<VendorSource, 'load'>,
  name: string,
  struck: RegExp,
  right: () => Answer,
  env: Readonly<Record<string, string>>,
  believes?: RegExp,
): Endpoint {
  return {
    name: `${name}: a login`,
    struck,
    proof: 'word',
    client: 'teller',
    ...(believes && { believes }),
    right,
    ask: async ({ origin, clock, signal }: Asking) => {
      const work = await source.load()
      const tools = { env, stdin: process.stdin, clock, patienceMs: patience(500) }
      const place = { vendor: name, baseUrl: origin, url: origin, site: '1' }
      const [first] = (await work.logins(place, tools))!
      await first!.ask(signal)
      return 'let in'
    },
  }
}

const QUERY = /^POST \/api\/projects\/7\/query\/$/
const RUN = '00000000-0000-4000-8000-000000000000'
const EVENT_ROW = [UUID, 'Zürich', 'a', TIME, '{"n":1}', '', null, '{}']
const paged =
  (mark: string, ...rows: readonly unknown[]) =>
  ({ packed }: Received) =>
    json({ results: packed.includes(mark) ? [] : rows })
const queries = (client: VendorClient) => ({ client, path: queryPath('7'), person: new PersonColumn() })
const memory = () => {
  let id: string | undefined = RUN
  return {
    asked: () => [],
    remember: async () => undefined,
    ordered: () => id,
    keepOrdered: async (_: string, next: string | undefined) => {
      id = next
    },
    cut: () => undefined,
    keepCut: () => undefined,
  }
}

const POSTHOG: readonly Endpoint[] = [
  vendor(
    'PostHog: events',
    QUERY,
    paged(' AND (timestamp > ', EVENT_ROW),
    (client, call) => textOf(exportEvents(queries(client), DAY, call, 1)),
    {
      other: json({ results: [[UUID, 'other', 'a', '2020-02-02 00:00:00.000000', '{}', '', null, '{}']] }),
      // What is too large is asked for in halves, down to a second.
      isEndless: true,
    },
  ),
  vendor('PostHog: persons', QUERY, { results: [[UUID, TIME, '{"n":1}', 'Zürich']] }, (client, call) =>
    textOf(exportPersons({ client, path: queryPath('7') }, call)),
  ),
  vendor(
    'PostHog: days with events',
    QUERY,
    { results: [[DAY.name, 3]] },
    async (client, call) => {
      const isEmpty = await emptinessOf({ client, path: queryPath('7') }, DAY, call)
      return isEmpty(DAY) ? [DAY.name] : []
    },
    // Without a row, no event is there.
    { other: json({ results: [['2020-02-02', 3]] }), nothing: [[DAY.name]] },
  ),
  vendor(
    'PostHog: a report',
    QUERY,
    paged(' AND event > ', [DAY.name, 'Zürich', 3]),
    (client, call) => all(posthogReport({ client, path: queryPath('7') }, 1).ask(QUESTION, call)),
    { other: json({ results: [['2020-02-02', 'Zürich', 3]] }) },
  ),
  vendor(
    "PostHog: persons' state",
    QUERY,
    ({ packed }: Received) => json({ results: packed.includes('poe.properties FROM') ? [['{}']] : [[3, 0]] }),
    async (client, call) => {
      const state = await personState(
        queries(client),
        { windows: [DAY], persons: false, byQuery: true },
        call,
      )
      return state.from === 'unknown' ? new Verdict('goes on with a note') : state
    },
    { client: 'teller' },
  ),
  vendor(
    'PostHog: whether there are downloads',
    /^GET \/api\/projects\/7\/file_download_batch_exports\/\?limit=1$/,
    { count: 0, next: null, previous: null, results: [] },
    async (client, call) => {
      await new DownloadApi(client, '7').probe(call.signal)
      return 'offered'
    },
    // It is asked whether there is such a list, whatever is in it.
    { proof: 'word', believes: /numbers$|values$|^names twice|^no rows$|^a row|^deep rows$/ },
  ),
  vendor(
    'PostHog: an order of a download',
    /^POST \/api\/projects\/7\/file_download_batch_exports\/$/,
    () => json({ id: RUN }, { status: 202 }),
    (client, call) => new DownloadApi(client, '7').order(DAY, call.signal),
  ),
  vendor(
    'PostHog: a run of a download',
    /^GET \/api\/projects\/7\/file_download_batch_exports\/[^/]+\/$/,
    { status: 'Completed', files: ['part-0'], records_completed: 1 },
    (client, call) => {
      const api = new DownloadApi(client, '7')
      const ordering = {
        api,
        piece: 'week',
        span: DAY,
        format: 'jsonl',
        memory: memory(),
        given: undefined,
      } as const
      return readyRun(ordering, call)
    },
  ),
  vendor(
    'PostHog: the end of a run',
    /^POST \/api\/projects\/7\/file_download_batch_exports\/[^/]+\/cancel\/$/,
    { status: 'Cancelled' },
    async (client, call) => {
      await new DownloadApi(client, '7').cancel(RUN, call.signal)
      return 'cancelled'
    },
    { proof: 'word', believes: /^names twice/ },
  ),
  vendor(
    'PostHog: the address of a file',
    /^GET \/api\/projects\/7\/file_download_batch_exports\/[^/]+\/download\/part-0\/$/,
    () => says(302, '', { Location: 'https://storage.example.com/file?X-Amz-Signature=5555555555555555' }),
    async (client, call) => (await new DownloadApi(client, '7').address(RUN, 'part-0', call.signal)).href,
    // Files may be at any host. Where it may be fetched from is judged then.
    { believes: /^302/ },
  ),
  vendor(
    'PostHog: a file',
    /^GET \/file\?X=1$/,
    () => ({ ...says(200), body: gzipSync('{"event":"Zürich"}\n') }),
    async (client, { signal, scratch }) => {
      const path = scratch('file')
      await fetchSigned(new URL(`${client.origin}/file?X=1`), path, client, signal)
      return textOf(linesOfFile(path))
    },
    // What a file holds is told by transform. What its address lacks is no right of the key's.
    { believes: /gzip/, ends: /^40[13]: (?:again, )?5$/ },
  ),
  login(vendorNamed('posthog'), 'posthog', QUERY, () => json({ results: [[1]] }), {
    POSTHOG_SOURCE_API_KEY: 'phx_answers',
    POSTHOG_SOURCE_PROJECT_ID: '7',
  }),
]

const MIXPANEL: readonly Endpoint[] = [
  vendor(
    'Mixpanel: a day',
    /^GET \/api\/2\.0\/export\?/,
    () => ({ ...says(200, '', { 'Content-Type': 'text/plain' }), body: Buffer.from(MIXPANEL_LINE) }),
    (client, call) => textOf(exportDay(client, '/api/2.0/export?from_date=2024-01-31', call)),
    // What a line holds is told by transform. A day has no size that it can't have.
    { isOpaque: true, isEndless: true },
  ),
  vendor(
    'Mixpanel: a day in gzip',
    /^GET \/api\/2\.0\/export\?/,
    () => ({ ...says(200, '', { 'Content-Encoding': 'gzip' }), body: gzipSync(MIXPANEL_LINE) }),
    (client, call) => textOf(exportDay(client, '/api/2.0/export?from_date=2024-01-31', call)),
    { isEndless: true },
  ),
  vendor(
    'Mixpanel: profiles',
    /^POST \/api\/query\/engage$/,
    ({ packed }: Received) => {
      const page = Number(new URLSearchParams(packed.toString()).get('page'))
      const results = page === 0 ? [{ $distinct_id: 'Zürich' }] : []
      return json({ page, page_size: 1, session_id: 's', status: 'ok', total: 1, results })
    },
    async (client, call) => {
      const text = await textOf(engagePages(client, engagePath(undefined), { name: 'profiles' }, call))
      return text.replaceAll(/"\$exported_at":"[^"]*"/g, '')
    },
  ),
  vendor(
    'Mixpanel: names of a report',
    /^GET \/api\/query\/events\/names\?/,
    ({ path }: Received) =>
      json(
        path.includes('/names')
          ? ['Zürich']
          : { data: { series: [DAY.name], values: { Zürich: { [DAY.name]: 3 } } } },
      ),
    (client, call) =>
      all(
        mixpanelReport(client, { projectId: undefined, events: [] }).ask({ ...QUESTION, events: [] }, call),
      ),
  ),
  vendor(
    'Mixpanel: a report',
    /^GET \/api\/query\/events\?/,
    { data: { series: [DAY.name], values: { Zürich: { [DAY.name]: 3 } } } },
    (client, call) =>
      all(mixpanelReport(client, { projectId: undefined, events: ['Zürich'] }).ask(QUESTION, call)),
    { other: json({ data: { series: ['2020-02-02'], values: { Zürich: { '2020-02-02': 3 } } } }) },
  ),
  login(
    vendorNamed('mixpanel'),
    'mixpanel',
    /^GET \/api\/2\.0\/export\?/,
    () => says(200, MIXPANEL_LINE),
    { MIXPANEL_API_SECRET: 'answers-secret' },
    // Its first byte tells: who is let in gets a record, or nothing.
    /^(?!.*page|[3-9]\d\d)/,
  ),
]

const ZIP = makeZip([
  { name: '1/1_2024-01-31_0#0.json.gz', data: gzipSync('{"event_type":"Zürich"}\n'), stored: true },
])

const AMPLITUDE: readonly Endpoint[] = [
  vendor(
    'Amplitude: an hour',
    /^GET \/api\/2\/export\?/,
    () => ({ ...says(200, '', { 'Content-Type': 'application/zip' }), body: ZIP }),
    (client, call) => textOf(exportWindow(client, HOUR, call)),
  ),
  vendor(
    'Amplitude: a report',
    /^GET \/api\/2\/events\/segmentation\?/,
    { data: { series: [[3]], xValues: [DAY.name] } },
    (client, call) => all(amplitudeReport(client).ask(QUESTION, call)),
    { other: json({ data: { series: [[3]], xValues: ['2020-02-02'] } }) },
  ),
  login(
    vendorNamed('amplitude'),
    'amplitude',
    /^GET \/api\/2\/export\?/,
    () => says(404, 'Raw data files were not found'),
    { AMPLITUDE_API_KEY: 'answers-key', AMPLITUDE_SECRET_KEY: 'answers-secret' },
    /^(?:400|404|20[16].*|10 GB|[a-zA-Z].*)$/,
  ),
]

const MATOMO = /^POST \/index\.php$/
const matomo = (client: VendorClient) => ({ client, path: '/index.php', token: '0123456789abcdef' })

const MATOMOS: readonly Endpoint[] = [
  vendor(
    'Matomo: a site',
    MATOMO,
    { idsite: '1', name: 'Zürich', timezone: 'Europe/Berlin' },
    async (client, call) => {
      const { name, timezone } = await siteOf(matomo(client), '1', call.signal)
      return { name, timezone }
    },
    { other: json({ idsite: '2', name: 'other', timezone: 'UTC' }) },
  ),
  vendor(
    'Matomo: visits',
    MATOMO,
    [{ idVisit: '1', actionDetails: [], city: 'Zürich' }],
    (client, call) => textOf(visitsOfDay(matomo(client), { site: '1', day: DAY.name }, {}, call)),
    // What is in a visit is told by transform.
    { believes: /^(?:objects for arrays|null for values)$/ },
  ),
  login(
    vendorNamed('matomo'),
    'matomo',
    MATOMO,
    () => json({ idsite: '1', name: 'Zürich' }),
    { MATOMO_TOKEN: '0123456789abcdef0123456789abcdef' },
    // Older ones answer with an array.
    /^an array around it$|^names twice/,
  ),
]

/** What vendors are asked. */
export const VENDOR_ENDPOINTS: readonly Endpoint[] = [...POSTHOG, ...MIXPANEL, ...AMPLITUDE, ...MATOMOS]
