import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listInputs } from '../../../src/inputs/list.ts'
import { startMapping } from '../../../src/studio/first-mapping.ts'
import { openStudio } from '../../../src/studio/server/open-studio.ts'
import type {
  ColumnTable,
  EditAnswer,
  EventTablePage,
  PreviewAnswer,
  PropertyTable,
  RecordList,
  StudioRecord,
  StudioRefusal,
  StudioState,
} from '../../../src/studio/studio-data.ts'
import { Workbench } from '../../../src/studio/workbench.ts'
import { runCommand } from '../../helpers/command.ts'
import { makeFolder, testFolder } from '../../helpers/folder.ts'

const HOSTILE = '</script><img src=x onerror=alert(1)>\u202e"\n'
const raw = makeFolder()
const input = join(raw, 'events.ndjson')

beforeAll(() => {
  const records = ['Order', 'Ping', 'Order', HOSTILE].map((event, index) => ({
    event,
    properties: { time: 1_709_280_000 + index, distinct_id: 'u', $insert_id: String(index), plan: 'pro' },
  }))
  const lines = records.map((record) => JSON.stringify(record))
  writeFileSync(input, `${lines.join('\n')}\n{broken\n`)
})

/** A studio of the records above, with a mapping file of its own. */
async function studio(yaml?: string, read = input) {
  const path = join(testFolder(), 'mapping.yaml')
  if (yaml !== undefined) writeFileSync(path, yaml)
  const inputs = await listInputs([read])
  const bench = new Workbench({
    request: { in: [read], gzip: false, dryRun: true, groupEventName: '$groupidentify', with: [] },
    said: [read],
    inputs,
    path,
    start: () =>
      startMapping(inputs, { asked: [read], preset: undefined, stop: new AbortController().signal }),
    next: [],
    winning: [],
    addTest: async ({ about, number, record }) => ({
      name: `${about} ${number} ${record.length}`,
      file: 'a.test.yaml',
      yaml: null,
    }),
    runTests: async () => ({ failing: [], yaml: null }),
    records: 100,
    stop: new AbortController().signal,
  })
  const failures: unknown[] = []
  const { url, close } = await openStudio(bench, 0, (error) => failures.push(error))
  onTestFinished(async () => {
    await close()
    await bench.close()
    expect(failures).toEqual([])
  })
  const { origin } = new URL(url)
  const headers = { origin, 'content-type': 'application/json' }
  return {
    path,
    url,
    origin,
    headers,
    get: async <T>(place: string) => (await fetch(url + place)).json() as Promise<T>,
    post: (place: string, body: unknown, more: Record<string, string> = {}) =>
      fetch(url + place, { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) }),
  }
}

/** The body of an answer. */
async function json<T>(answer: Response | Promise<Response>): Promise<T> {
  return (await answer).json() as Promise<T>
}

/** The status of a request with headers that `fetch` would not send. */
function statusOf(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  path?: string,
): Promise<number> {
  const { port, pathname } = new URL(url)
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path: path ?? pathname, method, headers }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? '{"yaml":""}' : undefined)
  })
}

describe('who may ask', () => {
  test('nothing is shown without the token, or with another', async () => {
    const { url, origin } = await studio('preset: mixpanel\n')
    const token = new URL(url).pathname.split('/')[1]!
    const other = token.slice(0, -1) + (token.endsWith('A') ? 'B' : 'A')
    for (const path of [
      '/',
      '/api/state',
      '/studio.js',
      `/${other}/`,
      `/${other}/api/state`,
      `/${token}x/`,
      '//',
    ])
      expect((await fetch(origin + path)).status, path).toBe(403)
    expect(token.length).toBeGreaterThanOrEqual(32)
  })

  test('another host than this machine, another page, and another type are refused', async () => {
    const { url, origin } = await studio('preset: mixpanel\n')
    const { host } = new URL(url)
    const api = `${new URL(url).pathname}api/preview`
    const own = { host, origin, 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' }
    const post = (headers: Record<string, string>) => statusOf(url, headers, 'POST', api)
    expect(await post(own)).toBe(200)
    expect(await post({ ...own, host: `evil.example:${new URL(url).port}` })).toBe(403)
    expect(await post({ ...own, origin: 'http://evil.example' })).toBe(403)
    expect(await post({ ...own, origin: 'null' })).toBe(403)
    expect(await post({ host, 'content-type': 'application/json' })).toBe(403)
    expect(await post({ ...own, 'sec-fetch-site': 'cross-site' })).toBe(403)
    expect(await post({ ...own, 'sec-fetch-site': 'same-site' })).toBe(403)
    expect(await post({ ...own, 'content-type': 'text/plain' })).toBe(400)
    expect(await statusOf(url, { host: 'evil.example' })).toBe(403)
    expect(await statusOf(url, { host, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' })).toBe(
      403,
    )
    expect(await statusOf(url, { host, 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' })).toBe(200)
  })

  test('no path leads out of the page, and no body is too large to be refused', async () => {
    const { url, headers } = await studio('preset: mixpanel\n')
    const base = new URL(url).pathname
    const { host } = new URL(url)
    for (const path of ['../../../package.json', '..%2f..%2fpackage.json', '%2e%2e/studio.js', 'nothing.js'])
      expect([403, 404]).toContain(await statusOf(url, { host }, 'GET', base + path))
    const body = JSON.stringify({ yaml: '#'.repeat(9 * 1024 * 1024) })
    const answer = await fetch(`${url}api/preview`, { method: 'POST', headers, body }).catch(() => undefined)
    // The server may close the connection before it has read all of it.
    if (answer) expect(answer.status).toBe(413)
    expect((await fetch(`${url}api/state`)).status).toBe(200)
  })

  test('every answer forbids what the page does not need', async () => {
    const { url, origin } = await studio('preset: mixpanel\n')
    for (const place of [url, `${url}studio.js`, `${url}api/state`, `${origin}/elsewhere`]) {
      const { headers } = await fetch(place)
      expect(headers.get('content-security-policy'), place).toMatch(/^default-src 'none'; script-src 'self';/)
      expect(headers.get('content-security-policy')).not.toContain('unsafe')
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('cache-control')).toBe('no-store')
    }
  })
})

describe('what is answered', () => {
  test('the state, records by filter, and a record with its trace; hostile names as they are', async () => {
    const { get, url } = await studio('preset: mixpanel\n')
    const { model, input, fault, mapping } = await get<StudioState>('api/state')
    expect(fault).toBeNull()
    expect(mapping).toMatchObject({ exists: true, yaml: 'preset: mixpanel\n' })
    expect(input).toMatchObject({ files: 1, records: 5, whole: true, estimatedRecords: 5 })
    expect(model.names).toMatchObject({ total: 4 })
    const events = await get<EventTablePage>(`api/events?text=${encodeURIComponent(HOSTILE)}`)
    expect(events).toMatchObject({ total: 1, all: 4, rows: [{ source: HOSTILE, fate: 'unmapped' }] })
    const members = await get<PropertyTable>('api/properties?event=Order&text=plan')
    expect(members.rows).toMatchObject([{ path: 'properties.plan', filled: 2, records: 2 }])
    expect((await fetch(`${url}api/events?fate=lost`)).status).toBe(400)
    const hostile = await get<RecordList>(`api/records?event=${encodeURIComponent(HOSTILE)}`)
    expect(hostile).toMatchObject({
      total: 1,
      records: [{ number: 3, outcome: 'event', name: HOSTILE }],
    })
    expect((await get<RecordList>('api/records?outcome=rejected')).records).toMatchObject([{ number: 4 }])
    expect((await get<RecordList>('api/records?text=%22pro%22&limit=2')).total).toBe(4)
    const { trace } = await get<StudioRecord>('api/records/0')
    expect(trace!.parts[0]).toMatchObject({ outcome: 'event', source: 'Order' })
    expect((await fetch(`${url}api/records/99`)).status).toBe(404)
    expect((await fetch(`${url}api/records?outcome=lost`)).status).toBe(400)
  })

  test('a preview changes nothing on disk; a fault has its line, and the last good mapping stays', async () => {
    const { post, get, path } = await studio('preset: mixpanel\n')
    await get('api/state')
    const good = await json<PreviewAnswer>(
      post('api/preview', { yaml: 'preset: mixpanel\nevents:\n  drop: [Ping]\n' }),
    )
    expect(good.model!.counts).toMatchObject({ events: 3, filtered: 1, rejected: 1 })
    const bad = await json<PreviewAnswer>(
      post('api/preview', { yaml: 'preset: mixpanel\nevent:\n  drop: [Ping]\n' }),
    )
    expect(bad).toMatchObject({ model: null, fault: { line: 2, column: 1, message: 'unknown key "event"' } })
    expect((await get<RecordList>('api/records?outcome=filtered')).total).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
  })

  test('a file with a fault opens all the same', async () => {
    const { get } = await studio('preset: mixpanel\nevents: 7\n')
    const { fault, model } = await get<StudioState>('api/state')
    expect(fault).toMatchObject({ line: 2 })
    expect(model.counts.records).toBe(5)
  })

  test('a page can not choose a program as preset', async () => {
    const { post, get, path } = await studio('preset: mixpanel\n')
    await get('api/state')
    const program = path.replace('mapping.yaml', 'evil.mjs')
    writeFileSync(program, 'globalThis.evil = true')
    const { fault } = await json<PreviewAnswer>(post('api/preview', { yaml: 'preset: ./evil.mjs\n' }))
    expect(fault!.message).toContain('a page can')
    expect('evil' in globalThis).toBe(false)
  })
})

test('a member with a dot in its name is chosen like any other, in quotes', async () => {
  const path = join(testFolder(), 'flat.ndjson')
  const line = { event: 'a', 'user.id': 'u', user: { name: 'x' }, 'time.stamp': '2024-03-01T00:00:00Z' }
  writeFileSync(path, `${JSON.stringify(line)}\n`)
  const { get, post } = await studio('preset: events\n', path)
  await get('api/state')
  const edit = async (yaml: string, field: string, to: string) =>
    (await json<EditAnswer>(post('api/edit', { yaml, edit: { kind: 'set_field', field, path: to } }))).yaml
  const one = await edit('', 'distinct_id', 'user.id')
  const yaml = await edit(one, 'timestamp', 'time.stamp')
  expect(yaml).toContain(`distinct_id: '"user.id"'`)
  const { model } = await json<PreviewAnswer>(post('api/preview', { yaml }))
  expect(model!.counts).toMatchObject({ events: 1, rejected: 0 })
  // An object's member is not in quotes: it is not shown while no rule looks into the object.
  expect(await edit(yaml, 'uuid', 'user.name')).toContain('uuid: user.name')
})

test('two members that are shown under one name can only be told apart by hand', async () => {
  const path = join(testFolder(), 'both.ndjson')
  const line = { event: 'a', 'user.id': 'u', user: { id: 'x' }, timestamp: '2024-03-01T00:00:00Z' }
  writeFileSync(path, `${JSON.stringify(line)}\n`)
  const { get, post } = await studio('preset: events\nfields: { uuid: user.id }\n', path)
  await get('api/state')
  const edit = { kind: 'set_field', field: 'distinct_id', path: 'user.id' }
  const refused = await post('api/edit', { yaml: '', edit })
  expect(refused.status).toBe(422)
  expect((await json<StudioRefusal>(refused)).error.message).toContain(
    'two members that are shown as user.id',
  )
})

describe('saving', () => {
  test('an edit keeps comments, is saved with the mode of the file, and transform takes it', async () => {
    const { get, post, path } = await studio('# ours\npreset: mixpanel # the vendor\n')
    chmodSync(path, 0o644)
    const { mapping } = await get<StudioState>('api/state')
    const edit = { kind: 'drop_event', event: HOSTILE }
    const { yaml } = await json<EditAnswer>(post('api/edit', { yaml: mapping.yaml, edit }))
    expect(yaml).toMatch(/^# ours\npreset: mixpanel # the vendor\nevents:/)
    const saved = await post('api/save', { yaml, digest: mapping.digest })
    expect(saved.status).toBe(200)
    expect(readFileSync(path, 'utf8')).toBe(yaml)
    expect(statSync(path).mode & 0o777).toBe(0o644)
    const argv = ['transform', '--map', path, '--in', input, '--dry-run', '--json', '--max-reject-ratio', '1']
    const { stdout } = await runCommand(argv, { built: true })
    expect(JSON.parse(stdout).counts).toMatchObject({ read: 5, filtered: 1, rejected: 1 })
  })

  test('a file that changed meanwhile is not written over, nor one made meanwhile', async () => {
    const { get, post, path } = await studio()
    const { mapping } = await get<StudioState>('api/state')
    expect(mapping).toMatchObject({
      exists: false,
      yaml: expect.stringMatching(/^preset: mixpanel$/m),
      digest: null,
    })
    expect(existsSync(path)).toBe(false)
    writeFileSync(path, 'preset: mixpanel # by hand\n')
    const refused = await post('api/save', { yaml: mapping.yaml, digest: mapping.digest })
    expect(refused.status).toBe(409)
    const { error } = await json<StudioRefusal>(refused)
    expect(error).toMatchObject({
      code: 'changed_on_disk',
      mapping: { yaml: 'preset: mixpanel # by hand\n' },
    })
    expect(
      (await post('api/save', { yaml: 'preset: mixpanel\n', digest: error.mapping!.digest })).status,
    ).toBe(200)
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
  })

  test('a mapping with a fault is not saved', async () => {
    const { get, post, path } = await studio('preset: mixpanel\n')
    const { mapping } = await get<StudioState>('api/state')
    const refused = await post('api/save', { yaml: 'events: 7\n', digest: mapping.digest })
    expect(refused.status).toBe(422)
    expect((await json<StudioRefusal>(refused)).error).toMatchObject({
      code: 'mapping_faulty',
      fault: { line: 1 },
    })
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
  })
})

test('a test is made of a record of the sample, and of no other', async () => {
  const { get, post } = await studio('preset: mixpanel\n')
  await get('api/state')
  const yaml = 'preset: mixpanel\n'
  const added = await post('api/tests', { record: 1, yaml })
  expect([added.status, await added.json()]).toEqual([
    200,
    { name: 'Ping 2 97', file: 'a.test.yaml', yaml: null },
  ])
  expect((await post('api/tests', { record: 99, yaml })).status).toBe(404)
  expect((await post('api/tests', { record: 'x', yaml })).status).toBe(400)
  const faulty = await post('api/tests', { record: 1, yaml: 'events: 7\n' })
  expect([faulty.status, (await json<StudioRefusal>(faulty)).error.fault?.line]).toEqual([422, 1])
})

test('columns of a table in Windows-1252 are read as the mapping says, and told why where it says nothing', async () => {
  const path = join(testFolder(), 'kunden.csv')
  writeFileSync(path, Buffer.from('Größe;Umsatz \x80;Nr\r\nÖ;1,5;a\r\nM;2;b\r\n', 'latin1'))
  const { get, post } = await studio(undefined, path)
  const { mapping, setup } = await get<StudioState>('api/state')
  expect(mapping.yaml).toContain('encoding: windows-1252')
  expect(setup).toMatchObject({ rows: 'events', unique: expect.arrayContaining(['Nr']) })
  const columns = (yaml: string) => post('api/columns', { yaml })
  const table = await json<ColumnTable>(columns(mapping.yaml))
  expect(table.rows.map(({ column, cells }) => [column, cells[0]?.text])).toEqual([
    ['Größe', 'Ö'],
    ['Umsatz €', '1,5'],
    ['Nr', 'a'],
  ])
  const bare = await columns('preset: events\n')
  expect([bare.status, (await json<StudioRefusal>(bare)).error]).toEqual([
    422,
    expect.objectContaining({ hint: expect.stringContaining('encoding: windows-1252') }),
  ])
  const { yaml } = await json<EditAnswer>(
    post('api/edit', { yaml: mapping.yaml, edit: { kind: 'set_rows', are: 'people' } }),
  )
  expect(await json<PreviewAnswer>(post('api/preview', { yaml }))).toMatchObject({
    setup: { rows: 'people' },
  })
  expect(yaml).toMatch(/kunden: \$set/)
})
