import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { undoQuery } from '../../src/commands/undo/extent.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { arrivedQuery } from '../../src/service/arrived.ts'
import { likeQuery, placesQuery } from '../../src/service/event-filter.ts'
import { dayQuery } from '../../src/service/events-by-day.ts'
import { retentionOf } from '../../src/service/retention.ts'
import { readArrival } from '../../src/store/arrival.ts'
import { readEventsManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import { MICROS_PER_DAY } from '../../src/text/units.ts'
import { listOf } from '../helpers/audit.ts'
import { runHosted } from '../helpers/command-host.ts'
import { EventTable, type Row } from '../helpers/event-table.ts'
import { makeEvent, type TestEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { madeDataset } from '../helpers/made-dataset.ts'
import { MIXED_LISTS } from '../helpers/mixed-lists.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

/*
 * The queries of the program on a real ClickHouse, which is what the service keeps its events in: an old one and a current
 * one, with the tables that the service had before 30 November 2026 and has after it.
 */
/** Events of 40 days, some with names and ids that need care in a query. */
const EVENTS: readonly TestEvent[] = Array.from({ length: 1000 }, (_, n) => ({
  ...makeEvent(n),
  event: ['$pageview', 'signed up', "it's", 'a\\b', 'ü', '\u{1f600}'][n % 6]!,
  distinct_id: n % 11 === 0 ? `o'neil\\${n}` : `user-${n % 97}`,
  timestamp: `${new Date(Date.UTC(2024, 0, 1 + (n % 40), n % 24, n % 60)).toISOString().slice(0, 19)}.000000Z`,
}))

const STRANGER = '00000000-0000-4000-8000-00000000beef'

/** Changes one event. */
const one =
  (change: (row: Row) => readonly Row[]) =>
  (row: Row, n: number): readonly Row[] =>
    n === 900 ? change(row) : [row]

const ROW = { event: 'e', distinct_id: 'u1', micros: Date.UTC(2024, 0, 1) * 1000, version: 1 }

/** What a project says that keeps the dataset's February, and hides what is older than this day of January, or the last one. */
const RETENTION = {
  event_retention_months: (new Date().getUTCFullYear() - 2024) * 12 + new Date().getUTCMonth(),
  events_retention_enforced: true,
}

const [BEFORE, AFTER] = [['before'], ['after']] as const

const DAYS = { first: '2024-01-01', last: '2024-02-09' }

let dataset: string
let sandbox: Sandbox
beforeAll(async () => {
  dataset = (await madeDataset(EVENTS)).dataset
  sandbox = await startSandbox({ timeZone: 'Pacific/Auckland' })
  const fast = ['--approved', '--max-events-per-minute', '10000000']
  await exits(0, runHosted(['import', '--dataset', dataset, ...fast], sandboxEnv(sandbox)))
})
afterAll(() => sandbox?.close())

describe.each(['old', 'current'] as const)('%s ClickHouse', (server) => {
  let table: EventTable
  let retention: typeof RETENTION | undefined
  const service = createServer(async (request, response) => {
    const [, id] = /^\/api\/projects\/(\d+)\/$/.exec(request.url!) ?? []
    if (id !== undefined) {
      const project = { id: Number(id), name: 'a test', ...retention }
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(project))
      return
    }
    if (!request.url!.endsWith('/query/')) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"detail":"Not found."}')
      return
    }
    let body = ''
    for await (const chunk of request) body += chunk
    // The service's compiler puts the floor into each query of events.
    const floor = retention && retentionOf(retention, Date.now())!.floor / 1000
    const shown =
      floor && `FROM (SELECT * FROM events WHERE timestamp >= toDateTime(${Math.floor(floor)})) AS events `
    const query: string = JSON.parse(body).query.query
    const answer = await table.query(shown ? query.replaceAll('FROM events ', shown) : query).then(
      (results) => [200, { results }] as const,
      (error: Error) => [400, { code: 'error', detail: error.message }] as const,
    )
    response.writeHead(answer[0], { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer[1]))
  })
  // Each command asks a project of its own, whose 240 queries a minute no other has used up.
  let project = 0
  const asking = () => ({
    POSTHOG_HOST: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    POSTHOG_PERSONAL_API_KEY: 'phx_test',
    POSTHOG_PROJECT_ID: String(++project),
  })
  beforeAll(async () => {
    table = await EventTable.open(server)
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  })
  afterAll(async () => {
    service.close()
    await table?.close()
  })

  describe('the query for fingerprints', () => {
    test('says of the same events what arrival.ndjson and the sandbox say', async () => {
      const store = new LocalStore(dataset)
      const manifest = await readEventsManifest(store)
      const cells = (await listOf(readArrival(store, manifest))).flat()
      const importIds = manifest.import_ids
      expect(importIds).toHaveLength(1)
      const whole = { ...DAYS, importIds }
      const query = arrivedQuery(whole, false, undefined, 50_000)
      await table.fill(dataset, 'before')
      const found = await table.query(query)
      await table.fill(dataset, 'after')
      expect(await table.query(query)).toEqual(found)
      expect(found).toEqual(
        cells.map(({ day, event, count, xor, sum }) => [
          day,
          event,
          String(count),
          ...xor,
          ...sum,
          String(count),
          '',
        ]),
      )
      expect((await sandbox.query(query)).results).toEqual(found)
      for (const other of [
        arrivedQuery(whole, true, undefined, 50_000),
        arrivedQuery({ ...whole, first: '2024-01-31', last: '2024-02-01' }, false, 'a\\b', 3),
        arrivedQuery({ ...whole, names: ["it's", 'a\\b', '\u{1f600}'] }, false, undefined, 100),
        arrivedQuery({ ...whole, share: { part: 4, of: 9 } }, false, undefined, 100),
      ]) {
        const rows = await table.query(other)
        expect(rows.length).toBeGreaterThan(0)
        expect((await sandbox.query(other)).results).toEqual(rows)
      }
    })

    /** Bends the events of a day and a name, or one of them, and what verify finds of it without a sample. */
    const BENDS: readonly (readonly [string, (row: Row, n: number) => readonly Row[], object])[] = [
      ['nothing', (row) => [row], {}],
      ['two lost', (row, n) => (n === 875 || n === 925 ? [] : [row]), { missing: 2 }],
      ['another person', one((row) => [{ ...row, distinct_id: 'other' }]), { missing: 1, unknown: 1 }],
      ['another time', one((row) => [{ ...row, micros: row.micros + 1_000_000 }]), { moved: 1 }],
      ['another name', one((row) => [{ ...row, event: 'renamed' }]), { missing: 1, unknown: 1 }],
      [
        'another day',
        one((row) => [{ ...row, micros: row.micros + MICROS_PER_DAY }]),
        { missing: 1, unknown: 1 },
      ],
      ['twice', one((row) => [row, { ...row, micros: row.micros + 1_000_000 }]), { doubled: 1 }],
      ['a stranger', one((row) => [row, { ...row, uuid: STRANGER }]), { unknown: 1 }],
    ]

    // What a retention hides is hidden from all of them alike.
    const HIDDEN = BENDS.filter(([what]) => /^(?:nothing|two lost|another day)$/.test(what))
    describe.each([
      ['', BENDS, undefined],
      [', under a retention', HIDDEN, RETENTION],
    ] as const)('verify finds by it%s', (_, bends, enforced) => {
      beforeAll(() => {
        retention = enforced
      })
      afterAll(() => {
        retention = undefined
      })

      test.each(bends)('%s', async (what, bend, expected) => {
        // An old server keeps the old table. There what came twice merges, at once or later.
        for (const form of what === 'twice' ? AFTER : server === 'old' ? BEFORE : [...BEFORE, ...AFTER]) {
          await table.fill(dataset, form, bend)
          const verify = ['verify', dataset, '--sample', '0', '--json']
          const { code, stdout, stderr } = await runHosted(verify, asking())
          const { events, persons, unasked, hidden } = JSON.parse(stdout)
          const none = { missing: 0, unknown: 0, moved: 0, rounded: 0, doubled: 0 }
          expect(events, stderr).toMatchObject({ ...none, ...expected })
          expect(code).toBe(Object.keys(expected).length === 0 ? 0 : 3)
          expect(hidden?.months).toBe(enforced?.event_retention_months)
          // This server has no persons: that is said, and not taken for a proof.
          expect([persons, unasked]).toEqual([null, [expect.stringContaining('persons and groups')]])
        }
      })
    })
  })

  test.each(['before', 'after'] as const)(
    'what merges in the table of %s, and what verify is told until then',
    async (form) => {
      const rows = await table.fill(dataset, form)
      const count = async () => Number((await table.query('SELECT count() FROM events'))[0]![0])
      await table.merge()
      expect(await count()).toBe(1500)
      // Ten of them again, a moment later: all times are whole minutes, so the day stays.
      const moved = rows.slice(0, 10)
      await table.insert(moved.map((row) => ({ ...row, micros: row.micros + table.step, version: 9999 })))
      const { import_ids: importIds } = await readEventsManifest(new LocalStore(dataset))
      const query = arrivedQuery({ ...DAYS, importIds }, false, undefined, 50_000)
      const told = async () => {
        const cells = await table.query(query)
        const sum = (column: number) => cells.reduce((all, cell) => all + Number(cell[column]), 0)
        return {
          events: sum(2),
          times: sum(9),
          named: cells.flatMap((cell) => (cell[10] === '' ? [] : [cell[10]])),
        }
      }
      const before = await told()
      expect(before).toMatchObject({ events: 1000, times: 1010 })
      const [uuid, first, last] = String(before.named[0]).split('|')
      const example = moved.find((row) => row.uuid === uuid)!
      expect([first, last]).toEqual(
        [example.micros, example.micros + table.step].map((at) => table.timeText(at)),
      )
      await table.merge()
      expect(await count()).toBe(form === 'before' ? 1500 : 1510)
      const after = await told()
      expect(after).toMatchObject({ events: 1000, times: form === 'before' ? 1000 : 1010 })
      expect(after.named.length > 0).toBe(form === 'after')
    },
  )

  test('the queries about other imports and the one of undo select whose events they say', async () => {
    const rows = await table.fill(dataset, 'after')
    const others = rows.slice(0, 300).map((row) => {
      const properties = { $import_job_id: "an'other\\", analytics_source: 'mixpanel', $lib: 'rust' }
      return { ...row, properties, micros: row.micros + table.step }
    })
    await table.insert(others)
    const { import_ids: ids } = await readEventsManifest(new LocalStore(dataset))
    const importIds = ids ?? []
    const own = { vendor: 'posthog', importIds }
    const days = await table.query(dayQuery({ ...DAYS, importIds: null }, own))
    const sum = (column: number) => days.reduce((all, day) => all + Number(day[column]), 0)
    const copies = Math.ceil(rows.length / 3)
    expect([sum(1), sum(2), sum(3)]).toEqual([1000 + 500 + copies + 300, 1000 + copies, 300])
    const places = await table.query(placesQuery({ ...DAYS, importIds: null }, own))
    expect(places).toHaveLength(5)
    for (const [, , job, source] of places) expect([job, source]).toEqual(["an'other\\", 'mixpanel'])
    const uuids = rows.slice(0, 50).map(({ uuid }) => uuid)
    // Half of them are known by uuid, half by name, person and time.
    const events = others.slice(0, 50).map(({ uuid, event, distinct_id, micros }, n) => {
      return {
        uuid: n % 2 ? uuid : '',
        event,
        distinctId: distinct_id,
        timestamp: table.timeText(n % 2 ? 0 : micros),
      }
    })
    const theirs = await table.query(likeQuery([{ ...DAYS, importIds: ["an'other\\"] }], events))
    expect(theirs.map(([uuid]) => uuid).sort()).toEqual([...uuids].sort())
    const taken = await table.query(undoQuery({ ...DAYS, import_ids: importIds }))
    expect(taken).toHaveLength(1000 + copies)
    expect(new Set(taken.map(([uuid]) => uuid)).size).toBe(1000)
  })
})

test('lists of several kinds read as the sandbox has them', async () => {
  const table = await EventTable.open('current')
  onTestFinished(() => table.close())
  await table.fill(dataset, 'after')
  const given = MIXED_LISTS.map(([list], n) => ({
    ...ROW,
    uuid: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    properties: { list: JSON.parse(list) },
  }))
  // One by one: what becomes of lists in lists depends on what else comes with them.
  for (const row of given) await table.insert([row])
  const rows = await table.query("SELECT toString(properties) FROM events WHERE event = 'e' ORDER BY uuid")
  expect(rows.map(([text]) => JSON.parse(String(text)))).toEqual(
    MIXED_LISTS.map(([, there]) => ({ list: JSON.parse(there) })),
  )
})
