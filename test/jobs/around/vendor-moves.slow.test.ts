import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { AroundFolder, type AroundRow } from '../../../src/around/index.ts'
import type { AroundDiffResult, AroundPushResult } from '../../../src/jobs/results.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { amplitudeHistory, mixpanelHistory } from '../../helpers/around-histories.ts'
import { actAround, openSandbox, pullAround } from '../../helpers/around-runs.ts'
import { runCommand } from '../../helpers/command.ts'
import { runHosted } from '../../helpers/command-host.ts'
import { testFolder } from '../../helpers/folder.ts'
import { hurry } from '../../helpers/quick-clock.ts'
import { seeded } from '../../helpers/random.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import { seedOf } from '../../helpers/seed.ts'
import { FakeAmplitude } from '../../helpers/vendors/amplitude.ts'
import { amplitudeTeam } from '../../helpers/vendors/amplitude-around.ts'
import { FakeMixpanel } from '../../helpers/vendors/mixpanel.ts'
import { madeAround, WHOLE_PROJECT } from '../../helpers/vendors/mixpanel-around.ts'

afterEach(() => vi.restoreAllMocks())

/** With AROUND_SIZE=whole a project of whole size, of which each test takes about eight minutes. */
const isWhole = process.env.AROUND_SIZE === 'whole'

/** Of each kind as much as of a whole project, but for the members of cohorts and what is the same many times. */
const SIZES = isWhole
  ? WHOLE_PROJECT
  : {
      events: 40,
      properties: 90,
      annotations: 60,
      cohorts: [1, 7, 1001],
      reports: 20,
      dashboards: 4,
    }

/** Properties that only events have. */
const [RENAMED, DROPPED] = isWhole ? ['property 340', 'property 341'] : ['property 40', 'property 41']

/** What a mapping file does, for the test to know it by itself. */
const EVENTS = new Map([
  ['$mp_web_page_view', 'page seen'],
  ['Event 9', 'bought'],
  ['Event 11', undefined],
  ['plan changed 10', 'bought'],
  ['team left 3', undefined],
])
const PROPERTIES = new Map([
  [RENAMED, 'plan'],
  [DROPPED, undefined],
])
const MAPPING = `
events: { rename: { $pageview: page seen, Event 9: bought, plan changed 10: bought }, drop: [Event 11, team left 3] }
properties: { rename: { ${RENAMED}: plan }, drop: [${DROPPED}] }
`

interface Move {
  readonly vendor: string
  readonly url: string
  readonly env: Readonly<Record<string, string>>
  readonly history: readonly string[]
  readonly mapping?: string
  /** The distinct_id that the events of a member have in PostHog. */
  readonly idOf: (member: string) => string
}

/** Pulls a vendor's project, brings its history and then the folder into a sandbox, and pulls that. */
async function moved({ vendor, url, env, history, mapping = MAPPING }: Move) {
  const base = testFolder()
  const [folder, again, map] = [join(base, 'around'), join(base, 'again'), join(base, 'map.yaml')]
  await writeFile(map, `preset: ${vendor}${mapping}`)
  await writeFile(join(base, 'raw.ndjson'), history.map((line) => `${line}\n`).join(''))
  // Quotas of the vendor are waited for by the hour.
  hurry(1000)
  const pulled = await runCommand(['around', 'pull', vendor, '--base-url', url, '--out', folder, '--json'], {
    env,
  })
  expect(pulled.stderr + pulled.code).toMatch(/0$/)
  // How long PostHog may take is minutes, which may not pass as fast.
  vi.restoreAllMocks()
  hurry(10)
  const target = await openSandbox()
  await imported(base, map, target)
  const diff = await actAround<AroundDiffResult>(['diff', folder, '--map', map], target)
  const push = await actAround<AroundPushResult>(['push', folder, '--map', map], target)
  const second = await actAround<AroundPushResult>(['push', folder, '--map', map], target)
  await pullAround(target, again)
  const page = join(base, 'report.html')
  const told = await runHosted(['report', join(base, 'events'), '--around', folder, '--out', page])
  expect(told.stderr + told.code).toMatch(/0$/)
  expect(await readFile(page, 'utf8')).toMatch(/What was written around the events<[\s\S]*>annotations</)
  return { folder, here: new AroundFolder(folder), there: new AroundFolder(again), diff, push, second }
}

async function imported(base: string, map: string, target: Sandbox): Promise<void> {
  const files = ['--in', join(base, 'raw.ndjson'), '--out', join(base, 'events')]
  const made = await runHosted(['transform', '--map', map, ...files, '--workers', '1'])
  expect(made.stderr + made.code).toMatch(/0$/)
  const sent = await runHosted(['import', '--dataset', join(base, 'events')], sandboxEnv(target))
  expect(sent.stderr + sent.code).toMatch(/0$/)
}

const finalName = (names: typeof EVENTS, name: string) => (names.has(name) ? names.get(name) : name)

/** What PostHog is to say of a definition of the vendor's. */
function wordsOf(row: AroundRow<'events'>, name: string) {
  const { display_name: shown, description, tags = [], hidden = false } = row
  const words = [...(shown && shown !== name ? [shown] : []), ...(description ? [description] : [])]
  return {
    description: words.join(': '),
    tags: [...new Set(tags.map((tag) => tag.toLowerCase()))].sort(),
    hidden,
  }
}

const told = ({ description = '', tags = [], hidden = false }: AroundRow<'events'>) => ({
  ...{ description, hidden },
  tags: tags.filter((tag) => tag !== 'posthaul').sort(),
})

/** Holds the project that was pulled again against the vendor's folder. */
async function assertMoved({ here, there }: Awaited<ReturnType<typeof moved>>, { idOf }: Move) {
  const events = new Map((await there.read('events'))!.map((row) => [row.name, told(row)]))
  for (const row of (await here.read('events'))!) {
    const name = finalName(EVENTS, row.name)
    if (name === undefined) expect(events.has(row.name)).toBe(false)
    else expect([name, events.get(name)]).toEqual([name, wordsOf(row, name)])
  }
  const placed = ({ of, name }: AroundRow<'properties'>, final: string | undefined = name) => `${of} ${final}`
  const properties = new Map((await there.read('properties'))!.map((row) => [placed(row), row]))
  for (const row of (await here.read('properties'))!.filter(({ of }) => of !== 'group')) {
    const name = finalName(PROPERTIES, row.name)
    const found = properties.get(placed(row, name ?? row.name))
    if (name === undefined) expect(found).toBeUndefined()
    else {
      expect([name, found && told(found)]).toEqual([name, wordsOf(row, name)])
      if (row.type !== 'list' && row.type !== 'object')
        expect([name, row.type && found?.type]).toEqual([name, row.type])
    }
  }
  const notes = async (folder: AroundFolder) =>
    (await folder.read('annotations'))!.map(({ at, text }) => `${new Date(at).toISOString()} ${text}`).sort()
  expect(await notes(there)).toEqual(await notes(here))
  const people = async (folder: AroundFolder, nameIt: (id: string) => string) => {
    const cohorts = (await folder.read('cohorts'))!.map(async ({ name, description, file }) => {
      const ids: string[] = []
      for await (const page of folder.members(file!)) ids.push(...page.map(nameIt))
      return JSON.stringify([name, description, ids.sort()])
    })
    return (await Promise.all(cohorts)).sort()
  }
  expect(await people(there, (id) => id)).toEqual(await people(here, idOf))
}

test('what lies around a project of Mixpanel is in PostHog as the vendor told it, under its final names', async () => {
  const around = madeAround(seeded(seedOf('moved from mixpanel')), SIZES)
  const fake = await new FakeMixpanel({ events: [], around, queries: Number.POSITIVE_INFINITY }).start()
  onTestFinished(() => fake.close())
  const { user, secret } = fake.credentials
  const move = {
    ...{ vendor: 'mixpanel', url: fake.url, history: mixpanelHistory(around) },
    env: { MIXPANEL_PROJECT_ID: '42', MIXPANEL_SERVICE_ACCOUNT: user, MIXPANEL_SERVICE_SECRET: secret },
    idOf: (member: string) => member.replace(/^\$device:/, ''),
    // Only persons have the other one, and a profile keeps its own names.
    mapping: MAPPING.replace(`${RENAMED}: plan`, `${RENAMED}: plan, property 20: tier`),
  }
  const ran = await moved(move)
  await assertMoved(ran, move)
  expect(ran.push.members).toEqual({ sent: sum(SIZES.cohorts), unmatched: 0 })
  expect([ran.second.made, ran.second.changed, ran.second.members.sent, ran.second.code]).toEqual([
    0, 0, 0, 0,
  ])
  const list = await readFile(join(ran.folder, 'by-hand.md'), 'utf8')
  expect(list.match(/^- \[ \] report /gm)).toHaveLength((await ran.here.read('reports'))!.length)
  expect(list.match(/^- \[ \] dashboard /gm)).toHaveLength(SIZES.dashboards)
})

test('what lies around a project of Amplitude is in PostHog as the vendor told it, under its final names', async () => {
  const team = amplitudeTeam(SIZES, seeded(seedOf('moved from amplitude')))
  const fake = await new FakeAmplitude({ events: [], around: { team } }).start()
  onTestFinished(() => fake.close())
  const move = {
    ...{ vendor: 'amplitude', url: fake.url, history: amplitudeHistory(team) },
    env: { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' },
    idOf: (member: string) => member,
  }
  const ran = await moved(move)
  await assertMoved(ran, move)
  expect(ran.push.members).toEqual({ sent: sum(SIZES.cohorts), unmatched: 0 })
  expect([ran.second.made, ran.second.changed, ran.second.members.sent, ran.second.code]).toEqual([
    0, 0, 0, 0,
  ])
  expect(ran.second.items.filter(({ state }) => state !== 'skipped')).toMatchObject([
    { kind: 'properties', name: 'seats (of groups)', state: 'waiting' },
  ])
})

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0)
