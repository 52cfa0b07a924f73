import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { parseTime } from '../../src/record/time.ts'
import { uuidV5 } from '../../src/record/uuid.ts'
import type { Api } from '../../src/service/api.ts'
import { arrivedCells, arrivedIds } from '../../src/service/arrived.ts'
import { arrivedValues } from '../../src/service/arrived-events.ts'
import { openApi } from '../helpers/api.ts'
import { type Instead, type QueryProxy, queryProxy } from '../helpers/query-proxy.ts'
import { hurry } from '../helpers/quick-clock.ts'
import { fileSandbox } from '../helpers/sandbox-env.ts'

const NAMESPACE = '706f7374-6861-756c-0000-000000000000'
const OURS = 'an-importer'

// The days of this zone are not those of UTC; nothing may depend on that.
const sandbox = await fileSandbox({ timeZone: 'America/Los_Angeles' })
let proxy: QueryProxy
let api: Api
/** What the proxy answers; each test sets its own. */
let instead: (query: string) => Instead | undefined = () => undefined
beforeAll(async () => {
  // The client sends 240 queries a minute, and waits before it asks again.
  hurry(20)
  proxy = await queryProxy(sandbox.url, (query) => instead(query))
  api = openApi(proxy.url, { key: sandbox.personalKey })
  const batch = events.map(({ event, uuid, distinctId, importId, time: timestamp }, i) => ({
    uuid,
    event,
    timestamp,
    properties: { distinct_id: distinctId, $import_job_id: importId, i },
  }))
  await sendTwice(batch)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await api.close()
  proxy.close()
})

/** As after a lost answer: until the service merges, it holds each event twice. */
async function sendTwice(batch: readonly object[]): Promise<void> {
  const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
  for (let time = 0; time < 2; time++) await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })
}

/** Seven days with up to nine names each; days and names in the order of bytes. */
const events = ['02-26', '02-27', '02-28', '02-29', '03-01', '03-02', '03-05'].flatMap((date, i) =>
  ["it's", 'a\\b', 'c', 'd', 'e', 'f', 'g', 'h', 'ü']
    .sort()
    .slice(0, (i % 3) * 4 + 1)
    .flatMap((event, n) =>
      Array.from({ length: 1 + ((i + n) % 4) }, (_, k) => {
        const day = `2024-${date}`
        const importId = k === 3 ? 'another' : OURS
        return {
          day,
          event,
          // Two persons have one uuid, as where a vendor uses an id again: those are two events.
          uuid: uuidV5(NAMESPACE, `${day} ${event} ${k === 1 ? 0 : k}`),
          distinctId: `u${k}'s`,
          importId,
          // At the edges of each day, where a wrong zone would show.
          time: `${day}T${k % 2 ? '00:00:00.000000' : '23:59:59.999000'}Z`,
        }
      }),
    ),
)

interface Cell {
  readonly day: string
  readonly event: string | null
  readonly events: Fingerprint
}

/** Cells as text; pieces of a cell are put together. */
function textOf(cells: readonly Cell[]): string[] {
  const whole = new Map<string, Fingerprint>()
  for (const { day, event, events } of cells) {
    const key = JSON.stringify([day, event])
    const known = whole.get(key) ?? new Fingerprint()
    whole.set(key, known)
    known.merge(events)
  }
  return [...whole].map(([key, { count, text }]) => `${key} ${count} ${JSON.stringify(text)}`)
}

function expected(first: string, last: string, whole = false, importIds: readonly string[] | null = null) {
  const cells = events
    .filter(({ day, importId }) => day >= first && day <= last && (importIds?.includes(importId) ?? true))
    .map(({ day, event, uuid, distinctId, time }) => {
      const one = new Fingerprint()
      one.addTexts(uuid, distinctId, event, parseTime(time))
      return { day, event: whole ? null : event, events: one }
    })
  return textOf(cells)
}

interface Asked {
  readonly whole?: boolean
  readonly importIds?: readonly string[] | null
  readonly maxRows?: number
}

async function cellsOf(
  first: string,
  last: string,
  { importIds = null, whole = false, ...more }: Asked = {},
) {
  const query = { filter: { first, last, importIds }, whole, ...more }
  const cells = []
  for await (const cell of arrivedCells({ api, projectId: String(sandbox.projectId) }, query))
    cells.push(cell)
  return cells
}

const found = async (...asked: Parameters<typeof cellsOf>) => textOf(await cellsOf(...asked))

const ALL = ['2024-02-26', '2024-03-05'] as const
// Two days, or one where a test asks many queries.
const SOME = ['2024-02-28', '2024-02-29'] as const
const ONE = ['2024-02-27', '2024-02-27'] as const
const REFUSED = { status: 400, detail: "Unsupported function call 'groupBitXor(...)'." }
const TOO_MUCH = { status: 504, detail: 'Query execution timed out.' }

describe.each([
  ['fingerprints', SOME, () => undefined],
  [
    'ids, of a server without the functions',
    SOME,
    (query: string) => (query.includes('groupBitXor') ? REFUSED : undefined),
  ],
  ['shares, of a server that is slow', ONE, (query: string) => (/% 9\b/.test(query) ? undefined : TOO_MUCH)],
] as const)('by %s', (_, days: readonly [string, string], answer) => {
  beforeAll(() => {
    instead = answer
  })

  test('all of them', async () => expect((await found(...days)).sort()).toEqual(expected(...days).sort()))
  test('days as a whole', async () =>
    expect(await found(...days, { whole: true })).toEqual(expected(...days, true)))
  test('those of an importer', async () =>
    expect((await found(...days, { importIds: [OURS] })).sort()).toEqual(
      expected(...days, false, [OURS]).sort(),
    ))
})

describe('in pages', () => {
  beforeAll(() => {
    instead = () => undefined
  })

  test.each([2, 9, 50])('of %i rows', async (maxRows) =>
    expect(await found(...ALL, { maxRows })).toEqual(expected(...ALL)),
  )

  test.each([3, 50_000])('of %i ids', async (rows) => {
    const ids: string[] = []
    const filter = { first: '2024-03-02', last: '2024-03-02', importIds: null }
    for await (const page of arrivedIds({ api, projectId: String(sandbox.projectId) }, filter, rows))
      ids.push(...page.map(({ uuid, event, distinctId }) => `${uuid} ${event} ${distinctId}`))
    const own = events.filter(({ day }) => day === '2024-03-02')
    expect(ids).toEqual(own.map(({ uuid, event, distinctId }) => `${uuid} ${event} ${distinctId}`).sort())
  })
})

test('an event under two times is one that the service counts twice', async () => {
  instead = () => undefined
  const own = { event: 'again', distinct_id: 'u', properties: {} }
  const batch = [
    { ...own, uuid: uuidV5(NAMESPACE, 'once'), timestamp: '2024-03-09T10:00:00.000Z' },
    { ...own, uuid: uuidV5(NAMESPACE, 'twice'), timestamp: '2024-03-09T10:00:00.000Z' },
    { ...own, uuid: uuidV5(NAMESPACE, 'twice'), timestamp: '2024-03-09T23:30:00.000Z' },
  ]
  await sendTwice(batch)
  expect(await cellsOf('2024-03-09', '2024-03-09')).toMatchObject([
    {
      events: { count: 2 },
      doubled: {
        more: 1,
        example: {
          uuid: uuidV5(NAMESPACE, 'twice'),
          times: [
            expect.stringMatching(/^2024-03-09 10:00:00/),
            expect.stringMatching(/^2024-03-09 23:30:00/),
          ],
        },
      },
    },
  ])
})

test('a copy that another import or a live client sent under another time counts, its other events do not', async () => {
  instead = () => undefined
  const sent = (name: string, time: string, importId?: string) => ({
    event: 'once more',
    uuid: uuidV5(NAMESPACE, name),
    timestamp: `2024-03-10T${time}Z`,
    properties: { distinct_id: 'u', ...(importId && { $import_job_id: importId }) },
  })
  const batch = [
    sent('once', '10:00:00.000', OURS),
    sent('by another import', '10:00:00.000', OURS),
    sent('by another import', '10:00:00.500', 'another'),
    sent('live', '10:00:00.000', OURS),
    sent('live', '09:59:59.000'),
    sent('of no concern', '10:00:00.000', 'another'),
    sent('of no concern', '11:00:00.000', 'another'),
  ]
  await sendTwice(batch)
  const cells = await cellsOf('2024-03-10', '2024-03-10', { importIds: [OURS] })
  expect(cells).toMatchObject([{ events: { count: 3 }, doubled: { more: 2 } }])
})

test('values, in smaller queries when they are too much for one', async () => {
  const own = events.filter(({ day }) => day === '2024-03-02')
  instead = (query) => ((query.match(/-5/g)?.length ?? 0) > 4 ? TOO_MUCH : undefined)
  const filter = { first: '2024-03-02', last: '2024-03-02', importIds: null }
  const uuids = own.map(({ uuid }) => uuid)
  const rows = await arrivedValues({ api, projectId: String(sandbox.projectId) }, filter, uuids)
  // Until they are merged, copies are rows of their own.
  expect(new Set(rows.map(({ uuid }) => uuid))).toEqual(new Set(uuids))
  expect(rows[0]).toMatchObject({
    timestamp: expect.stringMatching(/^2024-03-02 /),
    properties: expect.stringContaining('"$import_job_id"'),
  })
})

test('a query that is wrong in another way is an error', async () => {
  instead = () => ({ status: 400, detail: 'Unknown table' })
  await expect(found(...ALL)).rejects.toThrow('Unknown table')
})
