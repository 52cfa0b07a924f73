import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyLines } from '../../src/commands/verify/text.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { changeSandbox } from '../helpers/behind-its-back.ts'
import { runHosted } from '../helpers/command-host.ts'
import { makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'

/*
 * One history in both forms in which PostHog stores events: the one of 30 November 2026, and the one before it, which servers
 * that were not changed keep. What posthaul promises holds in both: the tests run one after the other on one project.
 */
const EVENTS = 300
/** One in ten is of a flag. */
const FLAGS = EVENTS / 10
const FAST = ['--approved', '--max-events-per-minute', '10000000']
const MINUTE = 60_000
const DAY = 86_400_000

/** An event with all that the new storage changes. Its time has no zone: the mapping says which. */
function rawEvent(n: number) {
  const { timestamp: _, ...event } = makeEvent(n, { ids: 50 })
  const hour = String(n % 12).padStart(2, '0')
  return {
    ...event,
    event: n % 10 === 9 ? '$feature_flag_called' : n % 2 ? 'login' : 'signup',
    timestamp: `2024-03-0${1 + (n % 4)} ${hour}:00:00.${String(n).padStart(3, '0')}`,
    properties: {
      n,
      plan: 'pro',
      nothing: null,
      inside: { nothing: null, list: [1, null, { deep: null, rest: 'ü' }] },
      $set: { plan: 'pro', seats: n },
      $set_once: { first: n },
      $browser_version: 115.5,
      $os: '',
      '$feature/new-nav': true,
      '$feature/price': 'true',
      $active_feature_flags: ['new-nav'],
      $ai_input: [{ role: 'user' }],
      $sdk_debug_retries: 2,
    },
  }
}

const mappingOf = (zone: string) => `preset: posthog\nsource_timezone: ${zone}\n`

describe.each(['json', 'table'] as const)('the storage %s', (storage) => {
  const folder = makeFolder()
  const data = join(folder, 'sandbox')
  let sandbox: Sandbox
  beforeAll(async () => {
    const lines = Array.from({ length: EVENTS }, (_, n) => JSON.stringify(rawEvent(n)))
    writeFileSync(join(folder, 'raw.ndjson'), `${lines.join('\n')}\n`)
    sandbox = await startSandbox({ data, storage })
  })
  afterAll(() => sandbox.close())

  const run = async (...argv: string[]) => {
    const env = { ...sandboxEnv(sandbox), XDG_STATE_HOME: join(folder, 'home') }
    const { code, stdout, stderr } = await runHosted(argv, env, folder)
    return { code, stdout, text: unfolded(stderr) }
  }
  const transform = (zone: string, ...more: string[]) => {
    writeFileSync(join(folder, 'm.yaml'), mappingOf(zone))
    return run('transform', '--map', 'm.yaml', '--in', 'raw.ndjson', '--out', 'events', ...more)
  }
  const send = (...more: string[]) => run('import', '--dataset', 'events', ...FAST, ...more)
  const verify = async () => {
    const ran = await run('verify', 'events', '--sample', 'all', '--json')
    const found = JSON.parse(ran.stdout)
    return { ...ran, found, text: unfolded(verifyLines(found).join('\n')) }
  }
  /** What a chart counts once the service has merged what it merges. */
  const counted = async () => {
    sandbox.advance(2 * MINUTE)
    return Number((await sandbox.query('SELECT count() FROM events')).results[0]?.[0])
  }
  const apart = storage === 'json' ? FLAGS : 0

  test('what was sent verifies as equal, and flags are compared where they are', async () => {
    await exits(0, transform('UTC'))
    const checked = await run('check', 'events', '--json')
    expect(JSON.parse(checked.stdout).events).toBe(EVENTS)
    await exits(0, send())
    const { text, found } = await exits(0, verify())
    const there = EVENTS - apart
    expect(found).toMatchObject({ equal: true, events: { here: there, service: there, missing: 0, apart } })
    expect(found.values).toMatchObject({ compared: there, absent: 0, changed: 0 })
    expect(text.includes(`apart: ${apart} events named $feature_flag_called`)).toBe(apart > 0)
  })

  test('what is sent again merges', async () => {
    const before = await counted()
    await exits(0, send('--restart', '--accept', 'sent_otherwise', 'other_imports'))
    expect(await counted()).toBe(before)
    const { code, found } = await verify()
    expect([code, found.equal, found.events.doubled]).toEqual([0, true, 0])
  })

  test('after 61 days it is still equal', async () => {
    sandbox.advance(61 * DAY)
    const { found } = await exits(0, verify())
    expect(found).toMatchObject({ equal: true, values: { changed: 0 } })
  })

  test('a value that was bent is found', async () => {
    const { url } = sandbox
    await sandbox.close()
    const { uuid } = makeEvent(42)
    const [bent] = await changeSandbox(
      data,
      `UPDATE sandbox_log SET properties = replace(properties, '"pro"', '"free"'),
       cleaned = replace(cleaned, '"pro"', '"free"'), lasting = replace(lasting, '"pro"', '"free"') WHERE uuid = '${uuid}'`,
    )
    expect(bent).toBe(2)
    sandbox = await startSandbox({ data, storage, port: Number(new URL(url).port) })
    // Later than all that it has, as before.
    sandbox.advance(62 * DAY)
    const { code, found } = await verify()
    expect([code, found.values.changed]).toEqual([3, 1])
    const [change] = found.values.changes
    expect(change).toMatchObject({ uuid, property: 'properties.plan', here: '"pro"', service: '"free"' })
  })

  test('another time zone is caught before it is sent, and what was sent all the same is there twice', async () => {
    await exits(3, transform('Europe/Berlin'))
    await exits(0, transform('Europe/Berlin', '--accept', 'rules_changed'))
    const before = await counted()
    await exits(3, send(), 'would be there twice')
    expect(await counted()).toBe(before)

    await exits(0, send('--restart', '--accept', 'sent_otherwise', 'other_imports'))
    await counted()
    const { text, found } = await exits(3, verify())
    // Events of the first hour of a day moved to the day before, where nothing ever merged.
    const near = Math.round(EVENTS / 12)
    expect(found.events.doubled).toBe(storage === 'json' ? EVENTS - apart - near : 0)
    if (storage === 'table') return
    expect(found.doubled[0]).toMatchObject({ day: '2024-03-01', more: expect.any(Number) })
    const { uuid, times } = found.doubled[0]
    const own = readFileSync(join(folder, 'raw.ndjson'), 'utf8')
      .split('\n')
      .find((line) => line.includes(uuid))
    const [moved, first] = times.map((time: string) => Date.parse(`${time.replace(' ', 'T').slice(0, 23)}Z`))
    expect([first - moved, own?.includes(times[1].slice(0, 19))]).toEqual([60 * MINUTE, true])
    expect(text).toContain('until 30 November 2026 two sends of an event merged on the same UTC day')
    expect(text).toContain(`posthaul explain <raw> --uuid ${uuid}`)
  })

  test('an event that another tool sends again half a second later is there once more', async () => {
    if (storage === 'table') return
    const before = (await verify()).found.events.doubled
    const batch = readdirSync(join(folder, 'events'))
      .filter((name) => /^\d{4}-.*\.ndjson$/.test(name))
      .flatMap((name) =>
        readFileSync(join(folder, 'events', name), 'utf8')
          .trim()
          .split('\n'),
      )
      .map((line) => JSON.parse(line))
      .filter(({ event }) => event !== '$feature_flag_called')
      .slice(-3)
      .map(({ timestamp, properties, ...event }) => {
        const later = new Date(Date.parse(timestamp) + 500).toISOString()
        return {
          ...event,
          timestamp: later,
          properties: { ...properties, $import_job_id: 'of-another-tool' },
        }
      })
    const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
    expect((await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })).status).toBe(200)
    const { code, found } = await verify()
    expect([code, found.events.doubled - before]).toEqual([3, 3])
  })
})
