import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { S3Store } from '../../src/store/s3.ts'
import { FastClock } from '../faults/kit/clock.ts'
import { testBucket } from '../helpers/bucket.ts'
import { startProgram } from '../helpers/cli-process.ts'
import { CommandHost, runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { hostedPrograms } from '../helpers/hosted-programs.ts'
import { seeded } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'

/*
 * The files in deploy/months/ as a scheduler runs them: a task a month, with a month that has no event, and then the import. What
 * comes of it is held against one transform of the whole, and the differences are the numbers on docs/scale.md.
 */

const bucket = testBucket({ pageSize: 100 })
const ROOT = join(import.meta.dirname, '../..')
const MONTHS = ['2023-01', '2023-02', '2023-03']
const FAST = ['--approved', '--max-events-per-minute', '1000000']
const PEOPLE = 60
/** Days of a month that have events: each is a file in the bucket, which takes requests. */
const ACTIVE_DAYS = 4
const HOUR = 3_600_000
/** An export keeps to the vendor's pace. */
const exporting = new CommandHost(new FastClock(10).env)
afterAll(() => exporting.close())
/** The vendor's project is in a zone of UTC-8: its month begins with the ninth hour of a UTC day. */
const DAY_START = 8 * HOUR

/** People whose devices come back each month, some with another user, and records that were sent twice around its end. */
function visits(): MixpanelEvent[] {
  const random = seeded(7)
  const pick = (most: number) => Math.floor(random() * most)
  const events: MixpanelEvent[] = []
  const add = (time: number, event: string, who: Record<string, string>, id = `id-${events.length}`) =>
    events.push({ event, properties: { time, $insert_id: id, ...who } })
  for (const month of [0, 1]) {
    const start = Date.UTC(2023, month, 1) + DAY_START
    for (let person = 0; person < PEOPLE; person++) {
      if (random() < 0.3) continue
      const device = `device-${person}`
      // A tenth of the devices have another user from the second month on.
      const user = `user-${person % 10 === 0 && month > 0 ? person + 1 : person}`
      const at = start + pick(ACTIVE_DAYS * 24) * HOUR
      add(at, 'Visit', { distinct_id: `$device:${device}`, $device_id: device })
      add(at + 1000, 'Sign In', { distinct_id: user, $device_id: device, $user_id: user })
      for (let n = 1; n < 4; n++)
        add(at + n * HOUR, 'Visit', { distinct_id: user, $device_id: device, $user_id: user })
    }
    // Sent again an hour later, by the vendor's client, with the same id: of one UTC day, and of two months.
    for (let copy = 0; copy < 5; copy++)
      for (const at of [start - HOUR, start + HOUR / 2])
        add(at, 'Paid', { distinct_id: `user-${copy}`, $user_id: `user-${copy}` }, `twice-${month}-${copy}`)
  }
  return events.filter(({ properties: { time } }) => time >= Date.UTC(2023, 0, 1) + DAY_START)
}

/** What people of companies did in each of two months; what is said of a company changes now and then. */
function uses(): string[][] {
  const random = seeded(8)
  const pick = (most: number) => Math.floor(random() * most)
  const use = (month: number, n: number) => {
    const person = pick(PEOPLE)
    const company = `company-${person % 12}`
    const time = Date.UTC(2023, month, 1) + pick(ACTIVE_DAYS * 24) * HOUR + n
    return JSON.stringify({
      event_type: 'Used',
      event_time: new Date(time).toISOString().replace('T', ' ').replace('Z', '000'),
      $insert_id: `insert-${month}-${n}`,
      user_id: `user-${person}`,
      device_id: `device-${person}`,
      groups: { company: [company] },
      group_properties: { company: { [company]: { seats: 5 + (pick(20) === 0 ? 1 : 0) } } },
    })
  }
  return [0, 1].map((month) => Array.from({ length: 400 }, (_, n) => use(month, n)))
}

async function world(events: readonly MixpanelEvent[]) {
  const folder = testFolder()
  bucket.objects.clear()
  const vendor = await new FakeMixpanel({
    events,
    zone: 'Etc/GMT+8',
    dayStart: DAY_START,
    queries: 9999,
  }).start()
  // Each export asks this test's vendor, as fast as it can.
  const programs = await hostedPrograms(
    join(folder, 'programs'),
    `if [ "$1" = export ]; then set -- "$@" --base-url '${vendor.url}' --requests-per-hour 360000; fi`,
    (...call) => exporting.run(...call),
  )
  onTestFinished(async () => {
    programs.close()
    await vendor.close()
  })
  const env = {
    ...bucket.env,
    PATH: `${programs.path}:${process.env.PATH}`,
    ...MIXPANEL_ENV,
    WORK_DIR: join(folder, 'work'),
  }
  const run = async ([program = '', ...argv]: readonly string[], more: Readonly<Record<string, string>>) => {
    const all = { ...env, ...more }
    const ended =
      program === 'posthaul'
        ? await runHosted(argv, all)
        : await startProgram(program, argv, { env: all }).ended
    expect([0, 3], ended.stderr).toContain(ended.code)
    return ended
  }
  return run
}

const job = parse(readFileSync(join(ROOT, 'deploy/months/kubernetes.yaml'), 'utf8'))
const [container] = job.spec.template.spec.containers

/** The words of a task: as Slurm starts the script, and as the container does, whose script is mounted. */
const TASKS = {
  SLURM_ARRAY_TASK_ID: ['/bin/sh', join(ROOT, 'deploy/months/month.sh')],
  JOB_COMPLETION_INDEX: (container.command as string[]).map((word) =>
    word.replace(/^\/months\//, `${ROOT}/deploy/months/`),
  ),
} as const

interface Asked {
  readonly events: readonly MixpanelEvent[]
  readonly raw: readonly (readonly string[])[]
  readonly preset: string
  readonly by: keyof typeof TASKS
}

const PERSONS = 'SELECT distinct_ids, is_identified FROM persons ORDER BY 1'
const GROUPS = 'SELECT key, properties FROM groups ORDER BY 1'

async function heldBy(sandbox: Sandbox) {
  const rows = async (sql: string) => (await sandbox.query(sql)).results
  const number = async (sql: string) => (await rows(sql))[0]![0] as number
  const persons = await rows(PERSONS)
  return {
    events: await number('SELECT count() FROM events'),
    links: await number("SELECT count() FROM events WHERE event = '$identify'"),
    changes: await number("SELECT count() FROM events WHERE event = '$groupidentify'"),
    // The import makes each group type by an event of its own.
    persons: persons.filter(([ids]) => !String(ids).includes('$')),
    groups: await rows(GROUPS),
  }
}

/** Brings a history into a project month by month, and as a whole into another. */
async function both({ events, raw, preset, by }: Asked) {
  const run = await world(events)
  const months = MONTHS.slice(0, raw.length || MONTHS.length)
  const history = 's3://bucket/history'
  const store = new S3Store(bucket.location('history'))
  for (const [n, lines] of raw.entries())
    await store.put(`raw/${months[n]}/uses.ndjson`, Buffer.from(lines.map((line) => `${line}\n`).join('')))
  const vendor = raw.length > 0 ? {} : { EXPORT: preset }
  const common = { STORE: history, FIRST: months[0]!, PRESET: preset, ...vendor }
  for (const index of months.keys()) await run(TASKS[by], { ...common, [by]: String(index) })
  const [monthly, whole] = [await startSandbox({ mergeAfterMs: 0 }), await startSandbox({ mergeAfterMs: 0 })]
  onTestFinished(async () => void (await Promise.all([monthly.close(), whole.close()])))
  const importing = (...more: string[]) =>
    run(['/bin/sh', join(ROOT, 'deploy/months/import.sh'), ...FAST, ...more], {
      ...common,
      ...sandboxEnv(monthly),
      MONTHS: String(months.length),
    })
  const out = 's3://bucket/whole'
  const inputs = months.flatMap((month) => ['--in', `${history}/raw/${month}`])
  await run(['posthaul', 'transform', '--preset', preset, ...inputs, '--out', `${out}/events`], {})
  const import_ = ['import', '--dataset', `${out}/events`, '--state', `${out}/state`, ...FAST]
  await run(['posthaul', ...import_], sandboxEnv(whole))
  return { importing, held: async () => ({ monthly: await heldBy(monthly), whole: await heldBy(whole) }) }
}

/** What the page says: a row for each history, with the numbers of whole and months. */
const PAGE = readFileSync(join(ROOT, 'docs/scale.md'), 'utf8')
const said = (what: string, whole: number, months: number) => `| ${what} | ${whole} | ${months} |`

test('an array of Slurm over an export, with a month without events and a project of another zone', async () => {
  const { importing, held } = await both({
    events: visits(),
    raw: [],
    preset: 'mixpanel',
    by: 'SLURM_ARRAY_TASK_ID',
  })
  await exits(3, importing(), '5 would be there twice')
  await exits(3, importing('--accept', 'other_imports'), 'PostHog counts 5 events more than there are')
  const { monthly, whole } = await held()
  expect(PAGE).toContain(said('Mixpanel: events in the project', whole.events, monthly.events))
  expect(PAGE).toContain(said('Mixpanel: `$identify` among them', whole.links, monthly.links))
  expect(monthly.events - whole.events - (monthly.links - whole.links)).toBe(5)
  expect(monthly.persons).toEqual(whole.persons)
})

test('an Indexed Job of Kubernetes over files in the bucket', async () => {
  const { importing, held } = await both({
    events: [],
    raw: uses(),
    preset: 'amplitude',
    by: 'JOB_COMPLETION_INDEX',
  })
  const imported = await importing()
  expect(imported.code, imported.stdout + imported.stderr).toBe(0)
  expect(unfolded(imported.stderr)).toContain('all are there, exactly')
  const { monthly, whole } = await held()
  expect(PAGE).toContain(said('Amplitude: events in the project', whole.events, monthly.events))
  expect(PAGE).toContain(said('Amplitude: `$identify` among them', whole.links, monthly.links))
  expect(PAGE).toContain(said('Amplitude: `$groupidentify` among them', whole.changes, monthly.changes))
  expect(monthly.groups).toEqual(whole.groups)
  expect(monthly.persons).toEqual(whole.persons)
})
