import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

const DEEP = '[[[[[[[[[1.0]]]]]]]]]'
const DAY_MS = 86_400_000

/** One event of each kind, and what of its property there is to read, at once and after 60 days. */
const EVENTS = (
  [
    ['deep', `"a":${DEEP}`, 'unreadable_properties', 'a', null, null],
    ['dropped', '"$ai_input":"x"', 'dropped_properties', '$ai_input', null, null],
    ['temporary', '"$sdk_debug_a":"x"', 'temporary_properties', '$sdk_debug_a', 'x', null],
    ['history', '"$set":{"plan":"pro"}', 'person_history', '$set', '{"plan":"pro"}', null],
    ['text', '"$os_version":10', 'text_properties', '$os_version', '10', '10'],
    ['long', `"n":${2n ** 65n}`, 'big_integers', 'n', '36893488147419103000', '36893488147419103000'],
    ['flag', '"$feature/new":"on"', 'flag_properties', '$feature/new', 'on', 'on'],
    ['plain', '"b":"x"', undefined, 'b', 'x', 'x'],
  ] as const
).map(([event, json, kind, property, now, later]) => ({ event, json, kind, property, now, later }))

test('what check says is what the new storage does, name by name', async () => {
  const sandbox = await testSandbox({ storage: 'json' })
  const env = sandboxEnv(sandbox)
  const folder = testFolder()
  const [raw, out] = [join(folder, 'raw.ndjson'), join(folder, 'events')]
  const lines = EVENTS.map(
    ({ event, json }, n) =>
      `{"uuid":"00000000-0000-4000-8000-00000000000${n}","event":"${event}","distinct_id":"u${n}",` +
      `"timestamp":"2024-03-01T00:00:00Z","properties":{${json},"$geoip_disable":true}}`,
  )
  const apart = lines[7]!.replace('plain', '$feature_flag_called').replace('000007', '000008')
  writeFileSync(raw, `${[...lines, apart].join('\n')}\n`)
  await exits(0, runHosted(['transform', '--preset', 'posthog', '--in', raw, '--out', out], env))

  for (const input of [
    ['--dataset', out],
    ['--file', raw],
  ]) {
    const checked = await runHosted(['check', ...input, '--json'], { ...env, POSTHOG_PERSONAL_API_KEY: '' })
    const { problems } = JSON.parse(checked.stdout) as {
      problems: { code: string; count: number; names: string[]; places: unknown[] }[]
    }
    for (const { kind, property, event } of EVENTS) {
      const found = problems.filter(({ names }) => names.includes(property))
      expect(found.map((problem) => problem.code)).toEqual(kind === undefined ? [] : [kind])
      for (const { count, places } of found) {
        expect(count).toBe(1)
        expect(places).toEqual(kind === 'big_integers' ? [] : [{ event, property, count: 1 }])
      }
    }
    expect(problems).toContainEqual(expect.objectContaining({ code: 'exposures', count: 1 }))
  }

  await exits(0, runHosted(['import', '--dataset', out], env))
  const stored = async () => {
    const values: Record<string, unknown> = {}
    for (const { event, property } of EVENTS)
      values[event] = (
        await ask(`SELECT properties.\`${property}\` FROM events WHERE event = '${event}'`)
      )[0]?.[0]
    return values
  }
  const ask = async (query: string) => (await sandbox.query(query)).results
  const expected = (when: 'now' | 'later') => Object.fromEntries(EVENTS.map((one) => [one.event, one[when]]))
  expect(await stored()).toEqual(expected('now'))
  expect(await ask("SELECT count() FROM events WHERE event = '$feature_flag_called'")).toEqual([[0]])
  sandbox.advance(61 * DAY_MS)
  expect(await stored()).toEqual(expected('later'))
  expect(await ask("SELECT properties.plan FROM persons WHERE properties.plan = 'pro'")).toEqual([['pro']])

  // What would not be readable, made text.
  const map = join(folder, 'map.yaml')
  writeFileSync(map, 'deep: text\n')
  const flat = [
    ...['transform', '--preset', 'posthog', '--map', map, '--in', raw, '--out', join(folder, 'flat')],
    '--json',
  ]
  const flattened = await runHosted(flat, env)
  expect(JSON.parse(flattened.stdout)).toMatchObject({ mends: { deep_array: 1 } })
  expect(readFileSync(join(folder, 'flat', '2024-03-01.ndjson'), 'utf8')).toContain(`"a":"${DEEP}"`)
  const again = await runHosted(['check', join(folder, 'flat'), '--json'], env)
  expect(again.stdout).not.toContain('unreadable_properties')
})

test('events whose properties became one text are there for verify, and for undo', async () => {
  const sandbox = await testSandbox({ storage: 'json' })
  const folder = testFolder()
  const run = (...argv: string[]) => runHosted(argv, sandboxEnv(sandbox), folder)
  const lineOf = (n: number, properties: string) =>
    `{"uuid":"00000000-0000-4000-8000-00000000000${n}","event":"seen","distinct_id":"u${n}",` +
    `"timestamp":"2024-03-0${1 + (n % 3)}T00:00:00Z","properties":{${properties}}}\n`
  const import_ = async (name: string, id: string, lines: readonly string[]) => {
    writeFileSync(join(folder, `${name}.ndjson`), lines.join(''))
    const files = ['--in', `${name}.ndjson`, '--out', name]
    await exits(0, run('transform', '--preset', 'posthog', '--import-id', id, ...files))
    await exits(0, run('import', '--dataset', name, '--approved', '--accept', 'project_unasked'))
  }
  await import_('own', 'a.1', [lineOf(1, `"a":${DEEP}`), lineOf(2, '"a":1'), lineOf(3, '"a":1')])
  // The texts of these have the id as a value, and one that only a pattern would take for it.
  await import_('other', 'a-1', [lineOf(4, `"a":${DEEP},"b":"a.1"`), lineOf(5, '"a":1')])

  const verified = await run('verify', 'own', '--sample', 'all', '--json')
  const found = JSON.parse(verified.stdout)
  expect(found.events).toMatchObject({ here: 3, service: 3, missing: 0, unknown: 0 })
  expect(found.values).toMatchObject({ compared: 3, absent: 0, unparseable: 1 })
  expect(existsSync(join(folder, 'own.missing.ndjson'))).toBe(false)

  for (const of of [['own'], ['--import-id', 'a.1']]) {
    const looked = JSON.parse((await run('undo', ...of, '--json')).stdout)
    expect(looked).toMatchObject({ events: 3, allowed: true, first: '2024-03-01', last: '2024-03-03' })
    const { results } = await sandbox.query(`SELECT count() FROM (${looked.query})`)
    expect(results).toEqual([[3]])
  }

  // One that did not arrive is missing as before, beside one that is only not readable.
  const own = join(folder, 'own.ndjson')
  writeFileSync(own, `${readFileSync(own, 'utf8')}${lineOf(7, '"a":2')}`)
  await run('transform', '--preset', 'posthog', '--import-id', 'a.1', '--in', own, '--out', 'more')
  const more = await run('verify', 'more', '--json')
  expect(JSON.parse(more.stdout).events).toMatchObject({ here: 4, service: 3, missing: 1 })
  expect(readFileSync(join(folder, 'more.missing.ndjson'), 'utf8')).toContain('000000000007')
})
