import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { importIdOf } from '../../../src/mapping/preset.ts'
import { posthog } from '../../../src/presets/posthog.ts'
import { assertParts, readEventsManifest } from '../../../src/store/dataset.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { type Ran, runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import {
  companies,
  type FakeGroup,
  groupsAnswer,
  noScope,
  notFound,
  queryAnswer,
} from '../../helpers/groups-answers.ts'
import { type Asked, type OddServer, oddServer, type Reply } from '../../helpers/odd-server.ts'
import { withoutLog } from '../../helpers/screen.ts'
import { unfolded } from '../../helpers/unfolded.ts'

let folder: string
let server: OddServer | undefined
beforeEach(() => {
  folder = testFolder()
})
afterEach(() => server?.close())

type Odd = (asked: Asked, url: string) => Reply | undefined

async function serve(groups: readonly FakeGroup[], ...odd: readonly Odd[]): Promise<OddServer> {
  server?.close()
  server = await oddServer((asked, url) => {
    for (const each of odd) {
      const reply = each(asked, url)
      if (reply) return reply
    }
    return groupsAnswer(groups, asked, url) ?? notFound('API endpoint not found.')
  })
  return server
}

async function exportTo(out: string, ...more: readonly (string | AbortSignal)[]): Promise<Ran> {
  const words = more.filter((word) => typeof word === 'string')
  const signal = more.find((word) => word instanceof AbortSignal)
  return runCommand(['groups', 'export', '--out', join(folder, out), ...words], {
    // Its transform runs on worker threads.
    built: true,
    ...(signal && { signal }),
    env: { POSTHOG_HOST: server!.url, POSTHOG_PERSONAL_API_KEY: 'phx_test', POSTHOG_PROJECT_ID: '1' },
  })
}

interface Line {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Record<string, unknown>
}

/** The dataset's events in the order of its parts; checks what must hold of every dataset. */
async function dataset(out: string): Promise<{ lines: Line[]; text: string; files: string[] }> {
  const path = join(folder, out)
  const store = new LocalStore(path)
  const manifest = await readEventsManifest(store)
  await assertParts(store, manifest)
  expect(manifest.records.read).toBe(manifest.records.rejected + manifest.events.written)
  let text = ''
  for (const { file, day } of manifest.parts) {
    const bytes = await readFile(join(path, file))
    const part = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString()
    const times = part
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as Line).timestamp)
    expect(times.every((time) => time.startsWith(day))).toBe(true)
    expect(times).toEqual(times.toSorted())
    text += part
  }
  const lines = text.match(/.+/g)?.map((line) => JSON.parse(line) as Line) ?? []
  expect(manifest.events.written).toBe(lines.length)
  return { lines, text, files: await readdir(path) }
}

const team = (key: string, created: string, properties: unknown = {}): FakeGroup => ({
  group_type_index: 1,
  group_key: key,
  group_properties: properties,
  created_at: created,
})

const noQuery: Odd = ({ path }) => (path.endsWith('/query/') ? noScope('query:read') : undefined)

describe('groups export', () => {
  test('writes every group of every type as an event of its day', async () => {
    const groups = [
      ...companies(350),
      team('core', '2024-01-03T00:00:00Z'),
      team('web', '2024-01-02T23:59:59Z'),
    ]
    await serve(groups, noQuery)
    const ran = await exportTo('out', '--all-types')
    expect(ran.code).toBe(0)
    expect(ran.stderr).toMatch(
      /groups export: done\n {2}read +352\n {2}written +352 {2}in 15 days, 15 parts\n/,
    )
    const { stdout } = await exportTo('again', '--all-types', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ version: 1, counts: { read: 352, written: 352 }, parts: 15 })
    const { lines, files } = await dataset('out')
    expect(files.filter((name) => name.startsWith('.'))).toEqual([])
    expect(new Set(lines.map(({ uuid }) => uuid)).size).toBe(352)
    const first = groups.find((group) => group.group_key === 'company-0001')!
    expect(lines[0]).toEqual({
      uuid: lines[0]!.uuid,
      timestamp: first.created_at,
      event: '$groupidentify',
      distinct_id: '$company_company-0001',
      properties: {
        distinct_id: '$company_company-0001',
        $group_type: 'company',
        $group_key: 'company-0001',
        $group_set: first.group_properties,
        $geoip_disable: true,
        $import_job_id: importIdOf(posthog),
        $lib: 'posthaul',
        $lib_version: expect.any(String),
        analytics_source: 'posthog',
      },
    })
  })

  test('the query endpoint gives the same events as the list', async () => {
    const groups = companies(350)
    await serve(groups, noQuery)
    await exportTo('rest', '--type', 'company')
    const asked = await serve(groups, (question) => queryAnswer(groups, question))
    expect((await exportTo('query', '--type', '0')).code).toBe(0)
    expect(asked.asked.filter(({ path }) => path.includes('/groups/?'))).toEqual([])
    expect((await dataset('query')).text).toBe((await dataset('rest')).text)
  })

  test('a query that is too much is asked for less', async () => {
    const groups = companies(30)
    const tooMuch: Odd = ({ path, body }) =>
      path.endsWith('/query/') && Number(/LIMIT (\d+)/.exec(body)![1]) > 4000
        ? { status: 512, body: { detail: 'too expensive' } }
        : undefined
    await serve(groups, tooMuch, (question) => queryAnswer(groups, question))
    expect((await exportTo('out', '--type', '0', '--via', 'query')).code).toBe(0)
    expect((await dataset('out')).lines).toHaveLength(30)
  })

  test.each(['rest', 'query'])('properties come out as they went in, by %s', async (via) => {
    const raw =
      '{"id": 12345678901234567890, "ratio":1.0, "big":1E+5, "neg":-0, "text":"\\u00e9 \\/", "n":{"a":[1.50]}}'
    const created = '2024-03-01T12:34:56.789123+02:00'
    const list = `{"next": null, "results": [\n {"group_type_index": 0, "group_key": "acme", "group_properties":${raw},"created_at":"${created}"}]}`
    const json = { 'content-type': 'application/json' }
    const rows = (sql: string) => (sql.includes('key >') ? [] : [['acme', raw, '2024-03-01 10:34:56.789123']])
    await serve([], ({ path, body }) => {
      if (path.includes('/groups/?')) return { headers: json, body: list }
      if (!path.endsWith('/query/')) return undefined
      return { body: { results: rows(body) } }
    })
    const ran = await exportTo('out', '--type', '0', '--via', via)
    expect(ran.code, ran.stderr).toBe(0)
    const { text } = await dataset('out')
    expect(text).toContain(`"$group_set":${raw},`)
    expect(text).toContain('"timestamp":"2024-03-01T10:34:56.789123Z"')
    const manifest = await readEventsManifest(new LocalStore(join(folder, 'out')))
    expect(manifest.big_integers).toEqual({ id: 1 })

    await exportTo('text', '--type', '0', '--via', via, '--big-integers', 'string')
    expect((await dataset('text')).text).toContain('{"id": "12345678901234567890", "ratio":1.0,')
  })

  test('an unchanged group is the same event again, a changed one another', async () => {
    const before = [
      team('core', '2024-01-03T00:00:00Z', { size: 1 }),
      team('web', '2024-01-03T00:00:00Z', null),
    ]
    await serve(before, noQuery)
    await exportTo('first', '--type', 'team')
    await serve([team('core', '2024-01-03T00:00:00Z', { size: 2 }), before[1]!], noQuery)
    await exportTo('second', '--type', 'team')
    const [first, second] = [(await dataset('first')).lines, (await dataset('second')).lines]
    expect(second[1]).toEqual(first[1])
    expect(first[1]?.properties.$group_set).toEqual({})
    expect(second[0]?.uuid).not.toBe(first[0]?.uuid)
    expect(second[0]?.distinct_id).toBe(first[0]?.distinct_id)
  })

  test('what cannot be sent is a reject, and none is lost', async () => {
    const fine = '2024-01-03T00:00:00Z'
    const groups = [
      team('good', fine),
      team('x'.repeat(401), fine),
      team(' ', fine),
      team('old', '1970-01-01T00:00:00Z'),
      team('when', 'yesterday'),
      team('list', fine, [1, 2]),
      team('huge', fine, { text: 'x'.repeat(900_001) }),
      team('y'.repeat(400), fine),
    ]
    await serve(groups, noQuery)
    const ran = await exportTo('out', '--type', 'team')
    expect(ran.code).toBe(3)
    const { lines, files } = await dataset('out')
    expect(lines.map(({ properties }) => properties.$group_key).sort()).toEqual(['good', 'y'.repeat(400)])
    expect(lines.every(({ distinct_id }) => distinct_id.length <= 200)).toBe(true)
    expect(files).toContain('rejects.ndjson')
    const rejects = (await readFile(join(folder, 'out/rejects.ndjson'), 'utf8')).trimEnd().split('\n')
    expect(rejects.map((line) => JSON.parse(line).reason).sort()).toEqual(
      `event_too_large group_key_missing group_key_too_long group_properties_not_an_object
      timestamp_too_old timestamp_unparsable`.split(/\s+/),
    )
    expect(rejects.map((line) => JSON.parse(line).line).sort()).toEqual([2, 3, 4, 5, 6, 7])
  })

  test('replaces its own dataset and nobody else’s', async () => {
    await serve([team('a', '2024-01-03T00:00:00Z'), team('b', '2024-01-05T00:00:00Z', [1])], noQuery)
    await exportTo('out', '--type', '1')
    await serve([team('c', '2024-01-04T00:00:00Z')], noQuery)
    expect((await exportTo('out', '--type', '1')).code).toBe(0)
    expect((await dataset('out')).files.sort()).toEqual(
      '2024-01-04.ndjson arrival.ndjson links.ndjson manifest.json outcomes.json'.split(' '),
    )

    const manifest = JSON.parse(await readFile(join(folder, 'out/manifest.json'), 'utf8'))
    for (const preset of ['mixpanel', 'posthog']) {
      const store = new LocalStore(join(folder, preset))
      await store.put('2024-01-04.ndjson', await readFile(join(folder, 'out/2024-01-04.ndjson')))
      const theirs = JSON.stringify({ ...manifest, source: { preset, inputs: 'raw/' } })
      await store.put('manifest.json', Buffer.from(theirs))
      const asked = server!.asked.length
      const refused = await exportTo(preset, '--type', '1')
      expect(refused.code).toBe(2)
      expect(unfolded(refused.stderr)).toContain(
        `holds the dataset that ${preset} made of raw/: it would be replaced`,
      )
      expect(server!.asked.slice(asked).filter(({ path }) => path.includes('/groups/?'))).toEqual([])
      expect(await readFile(join(folder, preset, 'manifest.json'), 'utf8')).toBe(theirs)
    }
  })

  test('nor does a transform replace it', async () => {
    await serve([team('a', '2024-01-03T00:00:00Z')], noQuery)
    await exportTo('out', '--type', '1')
    await writeFile(
      join(folder, 'events.ndjson'),
      '{"event":"e","distinct_id":"u","timestamp":"2024-01-01T00:00:00Z"}\n',
    )
    const words = ['--in', join(folder, 'events.ndjson'), '--out', join(folder, 'out')]
    const refused = await runCommand(['transform', '--preset', 'posthog', ...words], { built: true })
    expect(refused.code).toBe(2)
    expect(unfolded(refused.stderr)).toContain('holds the dataset of groups: it would be replaced')
    expect((await dataset('out')).lines).toHaveLength(1)
  })

  test('a folder that holds other files is left alone', async () => {
    await serve([team('a', '2024-01-03T00:00:00Z')], noQuery)
    await writeFile(join(folder, 'notes.txt'), 'mine')
    const refused = await exportTo('.', '--type', '1')
    expect([refused.code, unfolded(refused.stderr)]).toEqual([2, expect.stringContaining('is not empty')])
  })

  test('the manifest says whose groups they are', async () => {
    await serve([team('a', '2024-01-03T00:00:00Z')], noQuery)
    await exportTo('out', '--all-types')
    const { source } = await readEventsManifest(new LocalStore(join(folder, 'out')))
    const host = server!.url
    const group_types = '["company","team"]'
    expect(source).toEqual({ kind: 'groups', preset: 'posthog', host, project_id: '1', group_types })
  })

  test('no group of the type makes an empty dataset', async () => {
    await serve([], noQuery)
    expect((await exportTo('out', '--type', 'team')).code).toBe(0)
    expect((await dataset('out')).lines).toEqual([])
  })

  test('is compressed when asked', async () => {
    await serve(companies(3), noQuery)
    await exportTo('out', '--type', '0', '--gzip')
    expect((await dataset('out')).files).toContain('2024-01-01.ndjson.gz')
  })
})

describe('an export that was cut short', () => {
  const GROUPS = [...companies(350), team('core', '2024-01-03T00:00:00Z')]
  const cutAt =
    (cursor: string): Odd =>
    ({ path }) =>
      path.includes(`cursor=${cursor}`) ? { status: 400, body: { detail: 'not now' } } : undefined
  const cursors = ({ asked }: OddServer) =>
    asked.filter(({ path }) => path.includes('/groups/?')).map(({ path }) => /cursor=(\d+)/.exec(path)?.[1])

  test('goes on from its last whole page, and ends as if it never stopped', async () => {
    await serve(GROUPS, noQuery)
    await exportTo('whole', '--type', '0')
    const first = await serve(GROUPS, noQuery, cutAt('200'))
    const cut = await exportTo('out', '--type', '0')
    expect(cut.code).toBe(2)
    expect(cursors(first)).toEqual([undefined, '100', '200'])
    expect(await readdir(join(folder, 'out'))).toEqual(['.groups-export'])

    // The server comes back under another name: the next page is asked of that one.
    const url = first.url
    server = undefined
    first.close()
    await serve(GROUPS, noQuery)
    const other = await exportTo('out', '--type', '0')
    expect([other.code, url === server!.url]).toEqual([0, false])
    expect((await dataset('out')).text).toBe((await dataset('whole')).text)
  })

  test('by a signal: the page under way is dropped, the whole ones stay', async () => {
    const stop = new AbortController()
    const cursor200: Odd = ({ path }) => {
      if (path.includes('cursor=200')) stop.abort('SIGINT')
      return undefined
    }
    const first = await serve(GROUPS, noQuery, cursor200)
    const ran = await exportTo('out', stop.signal, '--type', '0')
    expect(ran.code).toBe(130)
    expect(withoutLog(ran.stderr)).toMatch(/then: posthaul groups export --out .* --type 0\n$/)
    const before = first.asked.length
    expect((await exportTo('out', '--type', '0')).code).toBe(0)
    expect(cursors({ ...first, asked: first.asked.slice(before) })).toEqual(['200', '300'])
    expect((await dataset('out')).lines).toHaveLength(350)
  })

  test('asks again for nothing it has', async () => {
    let broken = true
    const same = await serve(GROUPS, noQuery, (asked, url) => (broken ? cutAt('200')(asked, url) : undefined))
    await exportTo('out', '--all-types')
    const before = same.asked.length
    broken = false
    const ran = await exportTo('out', '--all-types')
    expect(ran.code).toBe(0)
    const paths = same.asked.slice(before).map(({ path }) => path)
    expect(paths.filter((path) => path.includes('/groups/?'))).toEqual([
      '/api/projects/1/groups/?group_type_index=0&cursor=200',
      '/api/projects/1/groups/?group_type_index=0&cursor=300',
    ])
    expect((await dataset('out')).lines).toHaveLength(351)
  })

  test('a cursor that expired meanwhile costs one more run, and no group', async () => {
    let broken = true
    let expired = false
    const odd: Odd = (asked, url) => {
      if (broken) return cutAt('200')(asked, url)
      // A server that no longer knows a cursor gives the first page.
      return expired && asked.path.includes('cursor=200')
        ? groupsAnswer(GROUPS, { ...asked, path: asked.path.replace('&cursor=200', '') }, url)
        : undefined
    }
    await serve(GROUPS, noQuery, odd)
    await exportTo('out', '--type', '0')
    ;[broken, expired] = [false, true]
    const ran = await exportTo('out', '--type', '0')
    expect([ran.code, unfolded(ran.stderr)]).toEqual([
      5,
      expect.stringContaining('came back to an earlier page'),
    ])
    expired = false
    const before = server!.asked.length
    expect((await exportTo('out', '--type', '0')).code).toBe(0)
    const asked = server!.asked.slice(before)
    expect(cursors({ ...server!, asked })).toEqual([undefined, '100', '200', '300'])
    expect((await dataset('out')).lines).toHaveLength(350)
  })

  test('what it left is not taken for the groups of another type', async () => {
    let broken = true
    await serve(GROUPS, noQuery, (asked, url) => (broken ? cutAt('200')(asked, url) : undefined))
    await exportTo('out', '--all-types')
    broken = false
    expect((await exportTo('out', '--type', 'team')).code).toBe(0)
    expect((await dataset('out')).lines.map(({ distinct_id }) => distinct_id)).toEqual(['$team_core'])
  })

  test('the rejects of an export run again once they are mended', async () => {
    await serve([team('list', '2024-01-03T00:00:00Z', [1, 2]), team('fine', '2024-01-03T00:00:00Z')], noQuery)
    expect((await exportTo('out', '--type', 'team')).code).toBe(3)
    const rejects = await readFile(join(folder, 'out/rejects.ndjson'), 'utf8')
    await writeFile(join(folder, 'mended.ndjson'), rejects.replace('[1,2]', '{}'))
    const words = ['--in', join(folder, 'mended.ndjson'), '--out', join(folder, 'mended')]
    const ran = await runCommand(['transform', '--preset', 'posthog', ...words], { built: true })
    expect(ran.code, ran.stderr).toBe(0)
    expect((await dataset('mended')).lines[0]?.properties).toMatchObject({
      $group_key: 'list',
      $group_set: {},
    })
  })
})
