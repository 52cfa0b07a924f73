import { readdirSync, writeFileSync } from 'node:fs'
import { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { FastClock } from '../faults/kit/clock.ts'
import { type Ended, signalWhen, startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'

/** POSTHAUL_REHEARSAL_EVENTS=200000 is a whole project. */
const EVENTS = Number(process.env.POSTHAUL_REHEARSAL_EVENTS ?? 500)
const DEVICES = 400
const DAY = 86_400_000
const FROM = Date.UTC(2024, 2, 1)
/** The old tool is switched off at the end of the 20th day. */
const DAYS = 20

interface Made {
  readonly event: MixpanelEvent
  /** When the vendor has it. */
  readonly at: number
}

/** What the vendor has in the end, without its copies. Of each device some events come before its user signs in. */
function madeHistory(random: () => number): Made[] {
  return Array.from({ length: EVENTS }, (_, n) => {
    const time = FROM + Math.floor((n * DAYS * DAY) / EVENTS)
    const device = Math.floor(random() * DEVICES)
    const properties = {
      time,
      distinct_id: `$device:d${device}`,
      $device_id: `d${device}`,
      $insert_id: `insert-${n}`,
      n,
      ...(random() < 0.4 && { $user_id: `u${device % 1000}`, distinct_id: `u${device % 1000}` }),
    }
    const late = random() < 0.03 ? Math.floor(random() * 4 * DAY) : 0
    return { event: { event: ['Signed Up', 'Plan Chosen', 'Füße ✓'][n % 3]!, properties }, at: time + late }
  })
}

/** A time as the service writes it, in ms. */
function timeOf(cell: unknown): number {
  const text = String(cell).replace(' ', 'T')
  return Date.parse(text.endsWith('Z') ? text : `${text}Z`)
}

/** Lets the servers of this process say the time of the rehearsal in `Date`, with which a run compares its own. */
function sayTimeOf(clock: () => FastClock): void {
  const { writeHead } = ServerResponse.prototype
  onTestFinished(() => {
    ServerResponse.prototype.writeHead = writeHead
  })
  ServerResponse.prototype.writeHead = function (this: ServerResponse, ...head: unknown[]) {
    this.setHeader('date', clock().httpDate(0))
    return Reflect.apply(writeHead, this, head)
  }
}

test('a daily cron moves a project that is in use, is killed and rescheduled, and ends with exactly what the vendor has', async () => {
  const history = madeHistory(seeded(seedOf('rehearsal')))
  const fake = await started(new FakeMixpanel({ events: [] }))
  const sandbox = await testSandbox({ mergeAfterMs: 0 })
  let clock = new FastClock(1)
  sayTimeOf(() => clock)
  const folder = testFolder()
  const file = join(folder, 'migration.yaml')
  writeFileSync(
    file,
    `source:
  mixpanel:
    from: 2024-03-01
    to: 2024-03-21
    project_id: 42
    base_url: ${fake.url}
    requests_per_hour: 100000
store: store
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
approval: { reference: rehearsal, events: 1000000, events_per_minute: 20000000 }
import: { arrival_wait: 0s }
schedule: daily
`,
  )
  /** The environment of a morning's run, on a machine. */
  const on = (day: number, host = 'first', speed = 1) => {
    const now = FROM + day * DAY + DAY / 8
    clock = new FastClock(speed, { now, host })
    fake.events = history.filter(({ at }) => at <= now).map(({ event }) => event)
    return { ...sandboxEnv(sandbox), ...MIXPANEL_ENV, ...clock.env }
  }
  const words = ['run', file, '--json']
  const ran = (...morning: Parameters<typeof on>) => runHosted(words, on(...morning))
  const windowsOf = ({ stdout, stderr, code }: Ended) => {
    expect(code, stderr).toBe(0)
    const { stages } = JSON.parse(stdout) as { stages: { window: string; stage: string }[] }
    return [...new Set(stages.map(({ window }) => window.replaceAll('2024-03-', '')))]
  }

  expect(windowsOf(await ran(12))).toEqual(['01_11'])
  expect(windowsOf(await ran(13))).toEqual(['11_12'])
  // Killed in mid-import, and started a day later on another machine: that window first, then the next one.
  const cli = startCli(words, on(14))
  const killed = await signalWhen(cli, 'SIGKILL', () => cli.printed().includes(': import\n'))
  expect(killed.signal).toBe('SIGKILL')
  expect(windowsOf(await ran(15, 'second', 8))).toEqual(['12_13', '13_14'])
  // Days on which nothing ran are in one window, which ends with the old tool.
  expect(windowsOf(await ran(25, 'second'))).toEqual(['14_21'])
  expect(windowsOf(await ran(27, 'second'))).toEqual(['21_21'])
  const asked = fake.seen.length
  const last = await ran(28, 'second')
  expect([windowsOf(last), fake.seen.length]).toEqual([[], asked])
  expect(JSON.parse(last.stdout)).toMatchObject({ finished: true, next_at: null })
  expect(readdirSync(join(folder, 'store/events')).length).toBe(6)

  // The oracle: what the service has, against what was made.
  const { results } = await sandbox.query(
    "SELECT properties.n, event, distinct_id, timestamp FROM events WHERE event != '$identify'",
  )
  const found = results.map((row) => JSON.stringify([Number(row[0]), row[1], row[2], timeOf(row[3])]))
  const expected = history.map(({ event: { event, properties } }) => {
    const id = (properties.$user_id ?? properties.$device_id) as string
    return JSON.stringify([properties.n, event, id, properties.time])
  })
  expect(found.length).toBe(EVENTS)
  const there = new Set(found)
  expect(expected.filter((one) => !there.has(one))).toEqual([])
  const links = await sandbox.query(
    "SELECT distinct_id, properties.$anon_distinct_id FROM events WHERE event = '$identify'",
  )
  const pairs = history.flatMap(({ event: { properties } }) =>
    properties.$user_id === undefined ? [] : [`${properties.$user_id} ${properties.$device_id}`],
  )
  expect(links.results.map(([user, device]) => `${user} ${device}`).sort()).toEqual(
    [...new Set(pairs)].sort(),
  )
})
