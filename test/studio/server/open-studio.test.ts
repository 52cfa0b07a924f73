import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { listInputs } from '../../../src/inputs/list.ts'
import { startMapping } from '../../../src/studio/first-mapping.ts'
import { openStudio } from '../../../src/studio/server/open-studio.ts'
import type { Answer, Asked, Call, StudioRefusal } from '../../../src/studio/studio-data.ts'
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
    request: { in: [read], gzip: false, dryRun: true, with: [] },
    said: [read],
    inputs,
    path,
    start: () =>
      startMapping(inputs, { asked: [read], preset: undefined, stop: new AbortController().signal }),
    next: [],
    winning: [],
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
  const post = (call: string, asked: unknown) =>
    fetch(`${url}api/${call}`, { method: 'POST', headers, body: JSON.stringify(asked) })
  const ask = async <C extends Call>(call: C, asked: Asked<C>): Promise<Answer<C>> => {
    const answer = await post(call, asked)
    expect(answer.status).toBe(200)
    return answer.json() as Promise<Answer<C>>
  }
  const refused = async (call: string, asked: object) => {
    const answer = await post(call, asked)
    return { status: answer.status, ...((await answer.json()) as StudioRefusal) }
  }
  // As the page does, which asks for it first.
  return { ...(await ask('state', {})), path, url, origin, headers, ask, refused }
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
    expect((await fetch(url)).status).toBe(200)
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
    const { ask, refused, model, input, fault, mapping } = await studio('preset: mixpanel\n')
    expect(fault).toBeNull()
    expect(mapping).toMatchObject({ exists: true, yaml: 'preset: mixpanel\n' })
    expect(input).toMatchObject({ files: 1, records: 5, whole: true })
    expect(model.events).toHaveLength(4)
    expect(model.events.at(-1)).toMatchObject({ source: null, fate: 'rejected' })
    expect(model.events.find(({ source }) => source === HOSTILE)).toMatchObject({ fate: 'unmapped' })
    const hostile = await ask('records', { event: HOSTILE })
    expect(hostile).toMatchObject({ total: 1, records: [{ number: 3, outcome: 'event', name: HOSTILE }] })
    expect((await ask('records', { outcome: 'rejected' })).records).toMatchObject([{ number: 4 }])
    expect((await ask('records', { text: '"pro"' })).total).toBe(4)
    const { trace } = await ask('record', { number: 0 })
    expect(trace!.parts[0]).toMatchObject({ outcome: 'event', source_event: 'Order' })
    expect((await refused('record', { number: 99 })).status).toBe(422)
    expect((await refused('records', { outcome: 'lost' })).status).toBe(400)
    expect((await refused('constructor', {})).status).toBe(404)
  })

  test('a preview changes nothing on disk; a fault has its line, and the last good mapping stays', async () => {
    const { ask, path } = await studio('preset: mixpanel\n')
    const good = await ask('preview', { yaml: 'preset: mixpanel\nevents:\n  drop: [Ping]\n' })
    expect(good.model!.counts).toMatchObject({ events: 3, filtered: 1, rejected: 1 })
    const bad = await ask('preview', { yaml: 'preset: mixpanel\nevent:\n  drop: [Ping]\n' })
    expect(bad).toMatchObject({ model: null, fault: { line: 2, column: 1, message: 'unknown key "event"' } })
    expect((await ask('records', { outcome: 'filtered' })).total).toBe(1)
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
  })

  test('a file with a fault opens all the same', async () => {
    const { fault, model } = await studio('preset: mixpanel\nevents: 7\n')
    expect(fault).toMatchObject({ line: 2 })
    expect(model.counts.records).toBe(5)
  })

  test('a page can not choose a program as preset', async () => {
    const { ask, path } = await studio('preset: mixpanel\n')
    writeFileSync(path.replace('mapping.yaml', 'evil.mjs'), 'globalThis.evil = true')
    const { fault } = await ask('preview', { yaml: 'preset: ./evil.mjs\n' })
    expect(fault!.message).toContain('a page can')
    expect('evil' in globalThis).toBe(false)
  })
})

test('a member with a dot in its name is chosen like any other, in quotes', async () => {
  const path = join(testFolder(), 'flat.ndjson')
  const line = { event: 'a', 'user.id': 'u', user: { name: 'x' }, 'time.stamp': '2024-03-01T00:00:00Z' }
  writeFileSync(path, `${JSON.stringify(line)}\n`)
  const { ask } = await studio('preset: events\n', path)
  const edit = async (yaml: string, field: 'distinct_id' | 'timestamp' | 'uuid', to: string) =>
    (await ask('edit', { yaml, edits: [{ kind: 'set_field', field, path: to }] })).yaml
  const one = await edit('', 'distinct_id', 'user.id')
  const yaml = await edit(one, 'timestamp', 'time.stamp')
  expect(yaml).toContain(`distinct_id: '"user.id"'`)
  const { model } = await ask('preview', { yaml })
  expect(model!.counts).toMatchObject({ events: 1, rejected: 0 })
  // An object's member is not in quotes: it is not shown while no rule looks into the object.
  expect(await edit(yaml, 'uuid', 'user.name')).toContain('uuid: user.name')
})

test('two members that are shown under one name can only be told apart by hand', async () => {
  const path = join(testFolder(), 'both.ndjson')
  const line = { event: 'a', 'user.id': 'u', user: { id: 'x' }, timestamp: '2024-03-01T00:00:00Z' }
  writeFileSync(path, `${JSON.stringify(line)}\n`)
  const { refused } = await studio('preset: events\nfields: { uuid: user.id }\n', path)
  const edits = [{ kind: 'set_field', field: 'distinct_id', path: 'user.id' }]
  const { status, message } = await refused('edit', { yaml: '', edits })
  expect([status, message]).toEqual([422, expect.stringContaining('two members that are shown as user.id')])
})

describe('saving', () => {
  test('an edit keeps comments, is saved with the mode of the file, and transform takes it', async () => {
    const { ask, path, mapping } = await studio('# ours\npreset: mixpanel # the vendor\n')
    chmodSync(path, 0o644)
    const edits = [{ kind: 'drop_event', event: HOSTILE } as const]
    const { yaml } = await ask('edit', { yaml: mapping.yaml, edits })
    expect(yaml).toMatch(/^# ours\npreset: mixpanel # the vendor\nevents:/)
    await ask('save', { yaml, digest: mapping.digest })
    expect(readFileSync(path, 'utf8')).toBe(yaml)
    expect(statSync(path).mode & 0o777).toBe(0o644)
    const argv = ['transform', '--map', path, '--in', input, '--dry-run', '--json', '--max-reject-ratio', '1']
    const { stdout } = await runCommand(argv, { built: true })
    expect(JSON.parse(stdout).counts).toMatchObject({ read: 5, filtered: 1, rejected: 1 })
  })

  test('a file that changed meanwhile is not written over, nor one made meanwhile', async () => {
    const { ask, refused, path, mapping } = await studio()
    const yaml = expect.stringMatching(/^preset: mixpanel$/m)
    expect(mapping).toMatchObject({ exists: false, yaml, digest: null })
    expect(existsSync(path)).toBe(false)
    writeFileSync(path, 'preset: mixpanel # by hand\n')
    const conflict = await refused('save', { yaml: mapping.yaml, digest: mapping.digest })
    expect(conflict).toMatchObject({ status: 409, mapping: { yaml: 'preset: mixpanel # by hand\n' } })
    await ask('save', { yaml: 'preset: mixpanel\n', digest: conflict.mapping!.digest })
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
    rmSync(path)
    expect(await refused('save', { yaml: '', digest: 'x' })).toMatchObject({ mapping: { exists: false } })
  })

  test('a mapping with a fault is not saved', async () => {
    const { refused, path, mapping } = await studio('preset: mixpanel\n')
    const faulty = await refused('save', { yaml: 'events: 7\n', digest: mapping.digest })
    expect(faulty).toMatchObject({ status: 422, fault: { line: 1 } })
    expect(readFileSync(path, 'utf8')).toBe('preset: mixpanel\n')
  })
})

test('columns of a table in Windows-1252 are read as the mapping says, and told why where it says nothing', async () => {
  const path = join(testFolder(), 'kunden.csv')
  writeFileSync(path, Buffer.from('Größe;Umsatz \x80;Nr\r\nÖ;1,5;a\r\nM;2;b\r\n', 'latin1'))
  const { ask, refused, mapping, setup } = await studio(undefined, path)
  expect(mapping.yaml).toContain('encoding: windows-1252')
  expect(setup).toMatchObject({ rows: 'events', unique: expect.arrayContaining(['Nr']) })
  const table = await ask('columns', { yaml: mapping.yaml })
  expect(table.rows.map(({ column, cells }) => [column, cells[0]?.text])).toEqual([
    ['Größe', 'Ö'],
    ['Umsatz €', '1,5'],
    ['Nr', 'a'],
  ])
  const hint = expect.stringContaining('encoding: windows-1252')
  expect(await refused('columns', { yaml: 'preset: events\n' })).toMatchObject({ status: 422, hint })
  const edits = [{ kind: 'set_rows', are: 'people' } as const]
  const { yaml } = await ask('edit', { yaml: mapping.yaml, edits })
  expect(await ask('preview', { yaml })).toMatchObject({ setup: { rows: 'people' } })
  expect(yaml).toMatch(/kunden: \$set/)
})
