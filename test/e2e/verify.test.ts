import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { verifyLines } from '../../src/commands/verify/text.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { FastClock } from '../faults/kit/clock.ts'
import { changeSandbox } from '../helpers/behind-its-back.ts'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { type QueryProxy, queryProxy } from '../helpers/query-proxy.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

/*
 * A rehearsal: 5,000 events go from raw records to the sandbox. Then its database is changed behind its back, and
 * verify has to say how.
 */
const EVENTS = 5000
/** With the event that makes the group type, which the import sends first. */
const SENT = EVENTS + 1
const FAST = ['--approved', '--max-events-per-minute', '10000000']

const folder = makeFolder()
const data = join(folder, 'sandbox')
const dataset = join(folder, 'events')
let sandbox: Sandbox
beforeAll(async () => {
  const raw = join(folder, 'raw.ndjson')
  writeFileSync(raw, `${Array.from({ length: EVENTS }, (_, n) => JSON.stringify(rawEvent(n))).join('\n')}\n`)
  await exits(0, runHosted(['transform', '--preset', 'posthog', '--in', raw, '--out', dataset]))
  sandbox = await startSandbox({ data })
})
afterAll(() => sandbox.close())

/** 40 days, six events a name and day on average; persons that become known, and companies. */
function rawEvent(n: number) {
  const { timestamp: _, ...event } = makeEvent(n, { ids: 997 })
  const at = new Date(Date.UTC(2024, 0, 1 + (n % 40), 0, 0, Math.floor(n / 40)))
  const timestamp = at.toISOString()
  if (n % 250 === 7)
    return { ...event, timestamp, event: '$identify', properties: { $anon_distinct_id: `anonymous-${n}` } }
  if (n % 1250 === 3) {
    const properties = { $group_type: 'company', $group_key: `acme-${n}`, $group_set: { size: n } }
    return { ...event, timestamp, event: '$groupidentify', properties }
  }
  return {
    ...event,
    timestamp,
    event: `event ${n % 20}`,
    properties: { n, plan: 'pro', list: [1, { a: 'ü' }], $groups: { company: 'acme-3' } },
  }
}

function run(...argv: string[]) {
  return runHosted(argv, sandboxEnv(sandbox))
}

async function changed(...statements: string[]): Promise<number[]> {
  await sandbox.close()
  const rows = await changeSandbox(data, ...statements)
  sandbox = await startSandbox({ data })
  return rows
}

/** Changes a value in one of the columns that have an event's properties. */
const bend = (column: string) => `${column} = replace(${column}, '"pro"', '"free"')`
const GONE = [1321, 1322, 4999]
const uuid = (n: number) => makeEvent(n).uuid
const MOVED = uuid(2345)
const BENT = uuid(54)
const STRANGER = 'ffffffff-ffff-4fff-bfff-ffffffffffff'

describe('from raw records to a proof', () => {
  test('before the import all is missing, and no copy of it is written', async () => {
    const { stdout } = await exits(3, run('verify', dataset, '--json'))
    expect(JSON.parse(stdout)).toMatchObject({
      events: { here: EVENTS, service: 0, missing: EVENTS, unknown: 0 },
      missing_file: null,
    })
    expect(verifyLines(JSON.parse(stdout))[0]).toBe(
      'verify: 5,000 events in 40 days: 0 are there, exactly; 5,000 are missing',
    )
  })

  test('import --verify sends and proves', async () => {
    const { stderr } = await exits(0, run('import', '--dataset', dataset, ...FAST, '--verify'))
    expect(stderr).toContain('verify: equal: 5,001 events in 40 days: all are there, exactly\n')
    expect(stderr).toContain('  values: 1,001 events compared, as they were sent\n')
    expect(stderr).toMatch(/ {2}merges: 20 identity events; of \d+ looked at, \d+ lead to one person\n/)
    expect(stderr).toMatch(/ {2}groups of type company: named by [\d,]+ events here/)
  })

  test('3 events removed, 2 changed and 1 added behind its back: without a sample five are told', async () => {
    const rows = await changed(
      `DELETE FROM sandbox_log WHERE uuid IN (${GONE.map((n) => `'${uuid(n)}'`).join(', ')})`,
      `UPDATE sandbox_log SET ${bend('properties')}, ${bend('cleaned')}, ${bend('lasting')} WHERE uuid = '${BENT}'`,
      `UPDATE sandbox_log SET timestamp = timestamp + INTERVAL 1 SECOND WHERE uuid = '${MOVED}'`,
      `INSERT INTO sandbox_log SELECT * REPLACE (100000 AS seq, '${STRANGER}'::UUID AS uuid)
       FROM sandbox_log WHERE uuid = '${uuid(100)}'`,
    )
    expect(rows).toEqual([3, 1, 1, 1])
    const { stdout, stderr } = await exits(3, run('verify', dataset, '--sample', '0'))
    expect(stderr).toContain(
      'verify: 5,001 events in 40 days: 4,997 are there, exactly; 3 are missing; 1 is\n  there at another time of its day; 1 is there that nobody here sent\n',
    )
    for (const n of GONE) expect(stdout).toMatch(new RegExp(`^missing .*${uuid(n)}`, 'm'))
    expect(stdout).toMatch(new RegExp(`^unknown .*${STRANGER}`, 'm'))
    expect(stdout.match(/^(?:missing|unknown|changed) /gm)).toHaveLength(4)
  })

  test('and with --sample all, all six', async () => {
    const { stdout } = await exits(3, run('verify', dataset, '--sample', 'all', '--json'))
    const { events, missing, missing_file, unknown, values } = JSON.parse(stdout)
    expect(events).toMatchObject({
      here: SENT,
      service: SENT - 2,
      others: 0,
      missing: 3,
      unknown: 1,
      moved: 1,
    })
    const ids = (list: readonly { uuid: string }[]) => list.map((event) => event.uuid).sort()
    expect(ids(missing)).toEqual(GONE.map(uuid).sort())
    expect(ids(unknown)).toEqual([STRANGER])
    expect(values).toMatchObject({ compared: SENT, absent: 3, changed: 2, known_changes: {} })
    expect(
      values.changes
        .map(({ uuid, property, here, service }: Record<string, string>) => [uuid, property, here, service])
        .sort(),
    ).toEqual([
      [BENT, 'properties.plan', '"pro"', '"free"'],
      [MOVED, 'timestamp', expect.any(String), expect.any(String)],
    ])
    // The run before wrote a file of them: it is still there.
    expect(missing_file).toBe(join(folder, 'events.missing-2.ndjson'))
    const lines = readFileSync(missing_file, 'utf8')
    expect(lines).toBe(readFileSync(join(folder, 'events.missing.ndjson'), 'utf8'))
    const parts = ['2024-01-02', '2024-01-03', '2024-02-09'].map((day) =>
      readFileSync(join(dataset, `${day}.ndjson`), 'utf8').split('\n'),
    )
    for (const line of lines.trim().split('\n')) expect(parts.flat()).toContain(line)
  })

  test('what is missing is sent from the file, and then only the added one differs', async () => {
    await exits(0, run('import', '--file', join(folder, 'events.missing.ndjson'), ...FAST))
    const { stdout } = await run('verify', dataset, '--sample', '0', '--json')
    expect(JSON.parse(stdout).events).toMatchObject({ missing: 0, unknown: 1 })
    const mended = await changed(
      `DELETE FROM sandbox_log WHERE uuid = '${STRANGER}'`,
      `UPDATE sandbox_log SET timestamp = timestamp - INTERVAL 1 SECOND WHERE uuid = '${MOVED}'`,
    )
    expect(mended).toEqual([1, 1])
    await exits(0, run('verify', dataset, '--sample', '0'))
    // A file of events is proven like a dataset: here with the dataset that holds the same events.
    const file = join(folder, 'events.missing.ndjson')
    const both = await run('verify', dataset, '--file', file, '--sample', '0')
    expect(both.stderr).toMatch(/^verify: equal: 5,001 events in 40 days: all are there, exactly\n/m)
    expect(both.code).toBe(0)
  })
})

describe('a run that is cut short', () => {
  let proxy: QueryProxy
  afterAll(() => proxy.close())

  test('by kill -9 leaves nothing, and the next one says all of it', async () => {
    const isValues = (query: string) => query.includes('elements_chain')
    let asked = 0
    // The service is busy when it is asked for the second 2,000 events, so the kill always finds the run at work.
    proxy = await queryProxy(sandbox.url, (query) =>
      isValues(query) && ++asked === 2 ? { status: 503, detail: 'busy' } : undefined,
    )
    const env = { ...sandboxEnv(sandbox), POSTHOG_HOST: proxy.url }
    const argv = ['verify', dataset, '--sample', 'all']
    const killed = await signalWhen(startCli(argv, env), 'SIGKILL', () => asked >= 2)
    expect(killed.signal).toBe('SIGKILL')
    const again = await runHosted(argv, env)
    expect(again.stderr).toContain('verify: 5,001 events in 40 days: all are there, exactly')
  })
})

test('with --wait it asks again while events are missing', async () => {
  const late = join(folder, 'late')
  const raw = join(folder, 'late.ndjson')
  const events = Array.from({ length: 10 }, (_, n) => ({
    ...makeEvent(n + 50_000),
    timestamp: `2025-01-01T00:00:0${n}.000Z`,
  }))
  writeFileSync(raw, events.map((event) => `${JSON.stringify(event)}\n`).join(''))
  await run('transform', '--preset', 'posthog', '--in', raw, '--out', late)
  const env = { ...sandboxEnv(sandbox), ...new FastClock(10).env }
  const waiting = startCli(['verify', late, '--wait', '10m'], env)
  await expect.poll(waiting.printed).toContain('still missing: 10 events of 1 day; asking again in 10 s')
  await run('import', '--dataset', late, ...FAST)
  await exits(0, waiting.ended, 'verify: equal: 10 events in 1 day')
})
