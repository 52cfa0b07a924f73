import { afterEach, describe, expect, test } from 'vitest'
import { type Ran, runCommand } from '../../helpers/command.ts'
import { companies, groupsAnswer, notFound } from '../../helpers/groups-answers.ts'
import { type Asked, type OddServer, oddServer, type Reply } from '../../helpers/odd-server.ts'
import { unfolded } from '../../helpers/unfolded.ts'

const GROUPS = companies(350)
const open: OddServer[] = []
afterEach(() => {
  for (const server of open.splice(0)) server.close()
})

/** A server of today, except where `odd` answers otherwise. */
async function start(
  odd: (asked: Asked, url: string) => Reply | undefined = () => undefined,
  env: Record<string, string> = { POSTHOG_PROJECT_ID: '1' },
) {
  const server = await oddServer(
    (asked, url) =>
      odd(asked, url) ?? groupsAnswer(GROUPS, asked, url) ?? notFound('API endpoint not found.'),
  )
  open.push(server)
  return {
    server,
    run: (argv: string, columns?: number) =>
      runCommand(argv.split(' '), {
        env: { POSTHOG_HOST: server.url, POSTHOG_PERSONAL_API_KEY: 'phx_test', ...env },
        ...(columns !== undefined && { columns }),
      }),
  }
}

const rows = ({ stdout }: Ran): { group_key: string }[] =>
  stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
const keys = (ran: Ran) => rows(ran).map(({ group_key: key }) => key)

describe('groups list', () => {
  test('gives every group of four pages, by index or by name', async () => {
    const { run, server } = await start()
    const byIndex = await run('groups list --type 0 --all')
    expect([byIndex.code, byIndex.stderr, rows(byIndex)]).toEqual([0, '', GROUPS])
    expect(server.asked.filter(({ path }) => path.startsWith('/api/projects/1/groups/?'))).toHaveLength(4)
    expect((await run('groups list --type company --all')).stdout).toBe(byIndex.stdout)
  })

  test('stops at the limit and says that there is more', async () => {
    const { run, server } = await start()
    const some = await run('groups list --type 0 --limit 150')
    expect(keys(some)).toEqual(GROUPS.slice(0, 150).map((group) => group.group_key))
    expect(some.stderr).toBe('posthaul: 150 groups shown, and there are more: use --limit N or --all\n')
    expect(server.asked).toHaveLength(3)
    expect(keys(await run('groups list --type 0'))).toHaveLength(100)
    const exact = await run('groups list --type 0 --limit 350')
    expect([keys(exact).length, exact.stderr]).toEqual([350, ''])
  })

  test('searches', async () => {
    const { run } = await start()
    const pro = keys(await run('groups list --type 0 --search "plan":"pro" --all'))
    expect([pro.length, pro[0]]).toEqual([117, 'company-0349'])
    expect(keys(await run('groups list --type 0 --search COMPANY-0007'))).toEqual(['company-0007'])
    const none = await run('groups list --type 1 --search zzz')
    expect([none.code, none.stdout, none.stderr]).toEqual([
      0,
      '',
      'posthaul: no groups of type team with "zzz" in a property, or as their key\n',
    ])
  })

  test('ends at a page without next, however that is said', async () => {
    for (const next of [null, '', undefined]) {
      const body = { next, previous: null, results: GROUPS.slice(0, 2) }
      const { run } = await start(({ path }) => (path.includes('/groups/?') ? { body } : undefined))
      expect(keys(await run('groups list --type 0 --all'))).toHaveLength(2)
    }
  })
})

describe('odd answers end in a clear error', () => {
  const page = (body: unknown) => (asked: Asked) => (asked.path.includes('/groups/?') ? { body } : undefined)
  const list = 'groups list --type 0 --all'

  test('a list that comes back to an earlier page', async () => {
    let turn = 0
    const { run } = await start(({ path }, url) =>
      path.includes('/groups/?')
        ? { body: { next: `${url}/api/projects/1/groups/?cursor=${++turn}`, results: [GROUPS[turn % 3]] } }
        : undefined,
    )
    const ran = await run(list)
    expect(ran.code).toBe(5)
    expect(unfolded(ran.stderr)).toContain('came back to an earlier page')
  })

  test('a next page elsewhere: the key is not sent there', async () => {
    const evil = await oddServer(() => ({ body: { next: null, results: [] } }))
    open.push(evil)
    const { run } = await start(page({ next: `${evil.url}/api/projects/1/groups/?cursor=1`, results: [] }))
    const ran = await run(list)
    expect(ran.code).toBe(2)
    expect(unfolded(ran.stderr)).toContain(
      `the next page is said to be at ${evil.url}; keys are not sent there`,
    )
    expect(evil.asked).toEqual([])
  })

  test.each([
    [{ results: 'none' }, 'results: Invalid input: expected array'],
    [{ next: 5, results: [] }, 'next: Invalid input: expected string'],
    [{ next: null, results: [{ group_key: 'a' }] }, 'group_type_index: '],
    [{ next: null, results: [{ ...GROUPS[0], group_key: 5 }] }, 'group_key: '],
    ['{"results":[', 'Unexpected end of JSON input'],
    [[], 'the top level: Invalid input: expected object'],
  ])('%j', async (body, problem) => {
    const ran = await (await start(page(body))).run(list)
    expect(ran.code).toBe(5)
    expect(unfolded(ran.stderr)).toContain(
      `the answer about the groups of type company is not as expected: ${problem}`,
    )
  })

  test('words that would move the cursor are shown, not obeyed', async () => {
    const { run } = await start(() => ({ status: 400, body: { detail: 'bad \x1b[2J\x1b[1;1Hnews' } }))
    const ran = await run(list)
    expect(ran.stderr).toContain('bad ␛[2J␛[1;1Hnews')
  })
})

describe('groups types', () => {
  const types = (body: unknown) => ({ body })
  const TYPE = { group_type: 'org', group_type_index: 2 }
  test.each([
    ['/api/projects/1/groups_types/', 'API endpoint not found.'],
    ['/api/1/groups_types/', 'Not found.'],
  ])('at %s alone', async (where, detail) => {
    const { run } = await start(({ path }) =>
      path === where ? types([TYPE, { group_type: '2', group_type_index: 3 }]) : notFound(detail),
    )
    const ran = await run('groups types')
    const all = '{"group_type_index":2,"group_type":"org"}\n{"group_type_index":3,"group_type":"2"}\n'
    expect([ran.code, ran.stdout]).toEqual([0, all])
    expect(unfolded((await run('groups list --type 2')).stderr)).toContain('say it by the other: "org" or 3')
  })
})

describe('groups find', () => {
  test('asks the server to write nothing, and gives the group', async () => {
    const { run, server } = await start()
    const ran = await run('groups find --type company --key company-0007')
    expect(JSON.parse(ran.stdout)).toEqual(GROUPS.find((group) => group.group_key === 'company-0007'))
    expect(server.asked.at(-1)?.path).toContain('skip_create_notebook=true')
  })

  test('counts the events, with the key as a text of the query and no more', async () => {
    const { run, server } = await start(({ path }) => {
      if (path.includes('/groups/find/')) return { body: { ...GROUPS[0], group_key: "it's\\_odd" } }
      if (!path.endsWith('/query/')) return undefined
      return { body: { results: [[12, '2024-01-01 00:00:00.000000', '2024-02-01 00:00:00.000000']] } }
    })
    const ran = await run("groups find --type 0 --key it's\\_odd --events")
    expect(JSON.parse(ran.stdout).events).toEqual({
      count: 12,
      first: '2024-01-01 00:00:00.000000',
      last: '2024-02-01 00:00:00.000000',
    })
    const { query } = JSON.parse(server.asked.at(-1)!.body)
    expect(query.query).toContain(
      String.raw`WHERE JSONExtractString(properties.$groups, 'company') = 'it\'s\\_odd'`,
    )
  })
})

describe('every digit of every number is printed', () => {
  // What JSON.parse would round, or write in another way.
  const NUMBERS = '12345678901234567890|1.0|1E+5|-0|0.10|123456789.123456789123'.split('|')
  const PROPERTIES = `{"n0": ${NUMBERS.map((n, i) => `${i ? `"n${i}": ` : ''}${n}`).join(',\n ')}, "in":{"x":[1.50]}}`
  const GROUP = `{"group_type_index":0,"group_key":"a","group_properties":${PROPERTIES},"created_at":"2024-03-01T00:00:00Z"}`
  const json = { 'content-type': 'application/json' }
  const serve = () =>
    start(({ path }) => {
      if (path.includes('/groups/find/')) return { headers: json, body: GROUP }
      if (path.includes('/groups/?')) return { headers: json, body: `{"next":null,"results":[${GROUP}]}` }
      return undefined
    })

  test.each([
    ['json', 'list --type 0'],
    ['ndjson', 'list --type 0'],
    ['json', 'find --type 0 --key a'],
    ['ndjson', 'find --type 0 --key a'],
  ])('as %s by %s, on one line', async (format, command) => {
    const { stdout } = await (await serve()).run(`groups ${command} --format ${format}`)
    expect(stdout.split('\n')).toContain(GROUP.replaceAll('\n', ' '))
    JSON.parse(stdout)
  })

  test.each([
    ['table', 'list --type 0', new RegExp(` ${NUMBERS.join(' +').replace('E+5', 'E\\+5')}\n`)],
    ['table', 'find --type 0 --key a', NUMBERS.map((n, i) => `n${i}       ${n}\n`).join('')],
  ])('as %s by %s', async (format, command, expected) => {
    const { stdout } = await (await serve()).run(`groups ${command} --format ${format}`, 200)
    if (typeof expected === 'string') expect(stdout).toContain(expected)
    else expect(stdout).toMatch(expected)
  })

  test('with a count of its events', async () => {
    const { run } = await start(({ path }) => {
      if (path.includes('/groups/find/')) return { headers: json, body: GROUP }
      return path.endsWith('/query/') ? { body: { results: [[0, null, null]] } } : undefined
    })
    const { stdout } = await run('groups find --type 0 --key a --events --format ndjson')
    const counted = '"events":{"count":0,"first":null,"last":null}'
    expect(stdout).toBe(`${GROUP.replaceAll('\n', ' ').slice(0, -1)},${counted}}\n`)
  })
})

describe('properties', () => {
  const answer = (where: string, body: unknown) =>
    start(({ path }) => (path.startsWith(`/api/projects/1/groups/${where}/`) ? { body } : undefined))
  const VALUES = [
    { name: 'retail', count: 3 },
    { name: 'mining', count: 1 },
  ]

  test.each([
    ['older', VALUES],
    ['newer', { results: VALUES, refreshing: false }],
  ])('values, as an %s server gives them', async (_, body) => {
    const { run, server } = await answer('property_values', body)
    const ran = await run('groups property-values --type 0 --property industry --value i')
    expect(ran.stdout).toBe('{"name":"retail","count":3}\n{"name":"mining","count":1}\n')
    expect(server.asked.at(-1)?.path).toContain('?group_type_index=0&key=industry&value=i')
  })

  test('definitions', async () => {
    const { run } = await answer('property_definitions', { '0': [{ name: 'plan', count: 9 }], '1': [] })
    expect((await run('groups property-definitions')).stdout).toBe(
      '{"group_type_index":0,"name":"plan","count":9}\n',
    )
  })
})

describe('projects', () => {
  const projects = (count: number) => (asked: Asked, url: string) => {
    if (!asked.path.startsWith('/api/projects/?') && asked.path !== '/api/projects/') return undefined
    const second = asked.path.includes('offset')
    const all = Array.from({ length: count }, (_, i) => ({ id: i + 1, name: `Project ${i + 1}`, uuid: 'x' }))
    const next = !second && count > 2 ? `${url}/api/projects/?offset=2` : null
    return { body: { count, next, previous: null, results: second ? all.slice(2) : all.slice(0, 2) } }
  }

  test('are listed over pages', async () => {
    const { run } = await start(projects(3), {})
    const { stdout } = await run('projects list --format json')
    expect(JSON.parse(stdout).map(({ id }: { id: number }) => id)).toEqual([1, 2, 3])
  })

  test('the only one is taken without being named', async () => {
    const { run } = await start(projects(1), {})
    expect((await run('groups types')).code).toBe(0)
  })

  test.each<[string, number, string, Record<string, string>?]>([
    ['groups list --type org', 2, 'no group type "org" its types are 0 (company), 1 (team)'],
    ['groups find --type 0 --key nobody', 2, 'there is no company with the key "nobody"'],
    ['groups property-definitions', 2, 'this server no longer lists the properties of groups'],
    ['groups types', 2, 'which project? the key sees 2: 1 (Project 1), 2 (Project 2)', {}],
    ['groups types', 4, '/settings/user-api-keys and set', { POSTHOG_PERSONAL_API_KEY: '' }],
  ])('%s: exit %i, %s', async (argv, code, words, env) => {
    const ran = await (await start(projects(2), env)).run(argv)
    expect([ran.code, unfolded(ran.stderr)]).toEqual([code, expect.stringContaining(words)])
  })
})

describe('on a terminal', () => {
  /** A transcript without what differs from run to run. */
  const transcript = (ran: Ran, { url }: OddServer) =>
    `${ran.stdout}${ran.stderr}[exit ${ran.code}]\n`.replaceAll(url, 'http://127.0.0.1:8010')

  test.each([
    ['groups-list', 'groups list --type company --limit 12'],
    ['groups-find', 'groups find --type company --key company-0007'],
    ['groups-types', 'groups types'],
  ])('%s', async (name, argv) => {
    const { run, server } = await start()
    await expect(transcript(await run(argv, 80), server)).toMatchFileSnapshot(`../../golden/${name}.txt`)
  })

  test.each([
    [
      'groups-scope-missing',
      { status: 403, body: { detail: "API key missing required scope 'group:read'" } },
    ],
    ['groups-web-page', { status: 200, body: '<!DOCTYPE html><html><title>Sign in</title></html>' }],
    ['groups-redirect', { status: 301, headers: { location: 'https://ph.example.com/api/' } }],
  ])('%s', async (name, reply) => {
    const { run, server } = await start(() => reply)
    await expect(transcript(await run('groups list --type 0', 80), server)).toMatchFileSnapshot(
      `../../golden/${name}.txt`,
    )
  })
})
