import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import createParser from '@posthog/hogql-parser'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { countExtent, extentOfId, undoQuery } from '../../src/commands/undo/extent.ts'
import { RateLimiter } from '../../src/http/rate-limiter.ts'
import { Secret } from '../../src/http/secret.ts'
import type { Answer, StreamedAnswer } from '../../src/http/transport.ts'
import { Api, type AskedProject } from '../../src/service/api.ts'
import { arrivedCells, arrivedIds } from '../../src/service/arrived.ts'
import { arrivedEvents, arrivedValues } from '../../src/service/arrived-events.ts'
import {
  countGrouped,
  countGroups,
  countPeople,
  knownGroups,
  personsOf,
} from '../../src/service/arrived-people.ts'
import { eventsLike, placesOfOthers } from '../../src/service/event-filter.ts'
import { countMarked, eventsByDay, hasNoEvent, hasUnreadable } from '../../src/service/events-by-day.ts'
import { Groups, type GroupType, groupEvents } from '../../src/service/groups.ts'
import {
  allDistinctIds,
  countDistinctIds,
  firstEvent,
  personSpans,
  storedPersons,
} from '../../src/service/live-persons.ts'
import { QueryTurns } from '../../src/service/query-turns.ts'
import { exportEvents } from '../../src/sources/posthog/events.ts'
import { queryGroups } from '../../src/sources/posthog/groups.ts'
import { PersonColumn, personState } from '../../src/sources/posthog/person-column.ts'
import { emptinessOf, exportPersons } from '../../src/sources/posthog/posthog.ts'
import { posthogReport } from '../../src/sources/posthog/report.ts'
import type { VendorCall } from '../../src/sources/source.ts'
import { bearer, VendorClient } from '../../src/sources/vendor-client.ts'
import { openApi } from '../helpers/api.ts'
import { FakeClock } from '../helpers/fake-clock.ts'

/*
 * Every query that the program sends, with names that need care, through PostHog's own parser. The calls that send one are
 * found in the source: one that no row of the table reaches turns this test red.
 */
const ROOT = resolve(import.meta.dirname, '../..')
/** Few, for the parser is slow: what can go wrong within a text is all in one, which ends in the worst of it. */
const HOSTILE = [
  `"double" \`back\` {brace} $dollar %s line\nbreak\ttab '; SELECT 1 -- /* 日本 \u{1f600} \u0301 ${'x'.repeat(2000)}\\' \\`,
  "it's",
  '',
]
const WORST = HOSTILE[0]!

const FILTER = { first: '2024-01-31', last: '2024-02-01', importIds: HOSTILE, names: HOSTILE }
const OWN = { vendor: WORST, importIds: HOSTILE }
const DAY = { first: FILTER.first, last: FILTER.first, importIds: null }
const UUID = '018d5f3e-0000-7000-8000-000000000001'
const EXTENT = { import_ids: FILTER.importIds, first: FILTER.first, last: FILTER.last }

const CLOCK = new FakeClock(0)
const SIGNAL = new AbortController().signal

let sent: { place: string; query: string }[] = []
/** The answers of the next queries; after them no rows. */
let answers: unknown[][][] = []
let project: AskedProject
let client: VendorClient

beforeAll(() => {
  const origin = 'http://127.0.0.1:1'
  const key = new Secret('phx_test', 'a test')
  project = { api: openApi(origin, { key, signal: SIGNAL, clock: CLOCK }), projectId: '1' }
  const limiter = new RateLimiter({ limits: [], clock: CLOCK })
  client = new VendorClient({ vendor: 'PostHog', origin, credentials: bearer(key), limiter, quietMs: 1000 })
  vi.spyOn(Api.prototype, 'query').mockImplementation(async (_path, body) => {
    const bytes = answerTo(JSON.stringify(body))
    return { status: 200, retryAfter: undefined, bytes, body: bytes.toString() } as unknown as Answer
  })
  // The stack of a query that waited for its turn does not lead to who asks.
  vi.spyOn(QueryTurns.prototype, 'take').mockImplementation((_signal, _waits, ask) => ask())
  vi.spyOn(VendorClient.prototype, 'ask').mockImplementation(async ({ body }) => {
    return { body: [answerTo(String(body))] } as unknown as StreamedAnswer
  })
})
afterAll(async () => {
  vi.restoreAllMocks()
  await Promise.all([project.api.close(), client.close()])
})

function answerTo(body: string): Buffer {
  const place = callerOf(new Error('here').stack!)
  for (const query of queriesIn((JSON.parse(body) as { query: object }).query)) sent.push({ place, query })
  return Buffer.from(JSON.stringify({ results: answers.shift() ?? [] }))
}

/** The query, or the expressions that are filters of a chart, as queries. */
function queriesIn(query: { readonly kind?: string; readonly query?: string }): string[] {
  if (query.kind === 'HogQLQuery') return [query.query!]
  const found: string[] = []
  JSON.stringify(query, (_, value) => {
    if (value?.type === 'hogql') found.push(`SELECT (${value.key})`)
    return value
  })
  return found
}

/** The line of the source that has the query sent: `src/service/arrived.ts:87`. */
function callerOf(stack: string): string {
  const places = [...stack.matchAll(/(src\/[^\s:()?]+\.ts)[^:]*:(\d+):\d+/g)].map(
    ([, file, line]) => `${file}:${line}`,
  )
  return places.find((place) => !/posthog\/query\.ts|service\/query\.ts|answer-bytes\.ts/.test(place)) ?? ''
}

async function all(pages: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of pages);
}

const retry = { retryForMs: 0, clock: CLOCK, random: () => 0, signal: SIGNAL }
const call: VendorCall = { signal: SIGNAL, retry, scratch: () => '', note: () => undefined }
const type: GroupType = { index: 0, name: WORST, since: null }
const cell = (event: string) => ['2024-01-31', event, ...Array(8).fill('1'), '']

const WINDOW = { name: 'a day', start: Date.UTC(2024, 0, 31), end: Date.UTC(2024, 1, 1) }
const vendor = () => ({ client, path: '/', person: new PersonColumn() })
/** One answer for each name. */
const each = (rowOf: (name: string) => unknown[]) => HOSTILE.map((name) => [rowOf(name)])

/** A way to ask, and what the first answers hold, so that the next page is asked for. */
type Question = [name: string, ask: () => Promise<unknown>, rows?: readonly unknown[][][]]

/** Those in whose queries all names are. */
const NAMING: readonly Question[] = [
  [
    'cells, of names, page by page',
    () => all(arrivedCells(project, { filter: DAY, whole: false, maxRows: 1 })),
    each(cell),
  ],
  [
    'ids, page by page, in a share',
    () => all(arrivedIds(project, { ...DAY, share: { part: 4, of: 9 } }, 1)),
    each((name) => [UUID, name, name, '2024-01-31 12:34:56.789123']),
  ],
  [
    'events that are looked for',
    () => {
      const places = HOSTILE.map((event) => ({ day: '2024-01-31', event, uuid: event }))
      return arrivedEvents(project, places)
    },
  ],
  ['values', () => arrivedValues(project, FILTER, HOSTILE)],
  ['the number of persons', () => countPeople(project, FILTER), [[[1, 1]]]],
  [
    'the events of groups',
    () => {
      const groups = HOSTILE.map((name, n) => ({ name, index: n > 0 ? n : undefined }))
      return countGrouped(project, FILTER, groups)
    },
    [[HOSTILE.flatMap(() => [1, 1])]],
  ],
  ['persons of ids', () => personsOf(project, HOSTILE)],
  ['keys of groups', () => knownGroups(project, 4, HOSTILE)],
  ['events of a trial and of its whole', () => countMarked(project, [HOSTILE, ['trial']]), [[[7, 1, 2]]]],
  ['events a day', () => eventsByDay(project, FILTER, OWN)],
  [
    'whether there are events',
    () => Promise.all([undefined, ...HOSTILE].map((name) => hasNoEvent(project, name))),
  ],
  [
    'cells and ids, with events kept as one text',
    async () => {
      const filter = { ...FILTER, unreadable: true }
      await all(arrivedCells(project, { filter, whole: false }))
      await all(arrivedIds(project, { ...filter, last: filter.first }))
    },
  ],
  [
    'events of a group',
    () => Promise.all(HOSTILE.map((key) => groupEvents(new Groups(project), type, key))),
    each(() => [1, null, null]),
  ],
  ['all ids, page by page', () => all(allDistinctIds(project, 1)), each((name) => [name, UUID])],
  ['stored persons', () => storedPersons(project, HOSTILE)],
  ['times of persons', () => personSpans(project, HOSTILE)],
  ['places of other imports', () => placesOfOthers(project, FILTER, OWN)],
  [
    'events like these',
    () => {
      const events = HOSTILE.map((text) => ({ uuid: text, event: text, distinctId: text, timestamp: text }))
      return eventsLike(project, [FILTER, DAY], events)
    },
  ],
  [
    'groups, page by page',
    () => all(queryGroups(new Groups(project), type, { next: undefined, seen: [] })),
    each((key) => [key, '{}', '2024-01-31 00:00:00']),
  ],
  ['the days of an import', () => Promise.allSettled(HOSTILE.map((id) => extentOfId(project, id)))],
  ['what undo counts', () => countExtent(project, EXTENT, undefined)],
  [
    'counts of an export, page by page',
    () => {
      const question = { first: '2024-01-31', last: '2024-01-31', events: [] }
      return all(posthogReport({ client, path: '/' }, 1).ask(question, call))
    },
    each((name) => ['2024-01-31', name, 1]),
  ],
]

const NAMELESS: readonly Question[] = [
  ['cells of whole days', () => all(arrivedCells(project, { filter: FILTER, whole: true }))],
  ['the number of groups', () => countGroups(project)],
  ['whether events are kept as one text', () => hasUnreadable(project, FILTER.first, FILTER.last)],
  ['the number of ids', () => countDistinctIds(project), [[[1]]]],
  ['the first event', () => firstEvent(project), [[[null]]]],
  [
    'whether old events still have $set',
    () => personState(vendor(), { windows: [WINDOW], persons: false, byQuery: true }, call),
    [[[3, 0]], [['{}']]],
  ],
  [
    'exported events, page by page',
    () => all(exportEvents(vendor(), WINDOW, call, 1)),
    [[[UUID, 'a', 'b', '2024-01-31 00:00:00.123456', '{}', '', null, '{}']]],
  ],
  [
    'the days of an export without an event',
    () => emptinessOf(vendor(), { start: WINDOW.start, end: Date.UTC(2024, 1, 9) }, call),
  ],
  ['exported persons', () => all(exportPersons({ client, path: '/' }, call))],
]

const parser = createParser()

/** Long lists of columns, which take the parser half a second. Of a query with one that was read before, it reads the rest. */
const lists = new Set<string>()

/** The texts of a query, as PostHog's parser reads them, but for those in a list that was read before. */
async function textsOf(query: string): Promise<Set<string>> {
  const list = query.slice(0, query.indexOf(' FROM '))
  const text = lists.has(list) ? `SELECT 1${query.slice(list.length)}` : query
  if (list.length > 500) lists.add(list)
  const parsed = JSON.parse((await parser).parseSelect(text))
  expect(parsed.error, `${query}\n${parsed.message}`).toBeUndefined()
  const texts = new Set<string>()
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { node: kind, value } = node as { node?: string; value?: unknown }
    if (kind === 'Constant' && typeof value === 'string') texts.add(value)
    for (const child of Object.values(node)) visit(child)
  }
  visit(parsed)
  return texts
}

const reached = new Set<string>()

test.each<Question>([...NAMING, ...NAMELESS])(
  'PostHog parses the queries for %s',
  async (name, ask, rows = []) => {
    sent = []
    answers = rows.map((row) => [...row])
    await ask()
    expect(sent).not.toEqual([])
    const read = new Set<string>()
    for (const { place, query } of sent) {
      reached.add(place)
      for (const text of await textsOf(query)) read.add(text)
    }
    const names = NAMING.some(([other]) => other === name) ? HOSTILE : []
    expect(names.filter((text) => !read.has(text))).toEqual([])
  },
)

test('PostHog parses the query that undo asks to delete by', async () => {
  const read = await textsOf(undoQuery(EXTENT))
  expect(HOSTILE.filter((text) => !read.has(text))).toEqual([])
})

/** The lines of the source that send a query, but for those whose query is a text without a variable. */
function callsOf(): { readonly places: string[]; readonly fixed: string[]; readonly senders: string[] } {
  const calls: ReturnType<typeof callsOf> = { places: [], fixed: [], senders: [] }
  for (const entry of readdirSync(join(ROOT, 'src'), { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (
      !entry.isFile() ||
      !/\.tsx?$/.test(path) ||
      /\/src\/(?:sandbox|sources\/(?:postgres|mysql|clickhouse))\//.test(path)
    )
      continue
    const file = relative(ROOT, path)
    for (const [n, line] of readFileSync(path, 'utf8').split('\n').entries()) {
      if (/HogQLQuery|\b(?:api|client|this)\.query\(/.test(line)) calls.senders.push(file)
      const isCall = /\b(?:runQuery|queryRows|askRows?)\(/.test(line) && file !== 'src/service/query.ts'
      if (!isCall || /function/.test(line)) continue
      const [, fixed] = /(?:, |sql: |query: )'(SELECT [^'\\]*)',/.exec(line) ?? []
      if (fixed === undefined) calls.places.push(`${file}:${n + 1}`)
      else calls.fixed.push(fixed)
    }
  }
  return calls
}

test('no call that sends a query is left out of the table', async () => {
  const { places, fixed, senders } = callsOf()
  expect(
    places.filter((place) => !reached.has(place)),
    'ask these in NAMING or NAMELESS',
  ).toEqual([])
  expect(places.length).toBeGreaterThan(20)
  for (const query of fixed) await textsOf(query)
  // Who sends queries without these functions escapes this test.
  expect([...new Set(senders)].sort()).toEqual(['src/service/query.ts', 'src/sources/posthog/query.ts'])
})
