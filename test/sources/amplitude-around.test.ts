import { afterEach, expect, test } from 'vitest'
import { AroundFolder, cohortFiles } from '../../src/around/around-folder.ts'
import { AROUND_KINDS, type AroundCohort, type AroundRow } from '../../src/around/around-kinds.ts'
import type { AroundCall, AroundSource } from '../../src/around/around-source.ts'
import { amplitudeWork } from '../../src/sources/amplitude/amplitude.ts'
import { FakeClock } from '../helpers/fake-clock.ts'
import { testFolder } from '../helpers/folder.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { FakeAmplitude } from '../helpers/vendors/amplitude.ts'
import {
  type AmplitudeTeam,
  amplitudeIdOf,
  amplitudeTeam,
  type TeamOptions,
  userOf,
} from '../helpers/vendors/amplitude-around.ts'
import type { MischiefKind } from '../helpers/vendors/fake.ts'

const SMALL = { events: 6, properties: 10, annotations: 5, cohorts: [3, 0, 25] }
const WHOLE = {
  events: 300,
  properties: 900,
  annotations: 60,
  cohorts: [1, 40_000, 12, 900, 1000, 1001, 2, 7, 30, 60, 100, 5000],
}

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

const smallTeam = () => amplitudeTeam(SMALL, seeded(5))
/** A team of which only this is there. */
const only = (part: Partial<AmplitudeTeam>): AmplitudeTeam => ({
  ...{ categories: [], events: [], eventProperties: {}, userProperties: [], groupProperties: [] },
  ...{ annotations: [], cohorts: [] },
  ...part,
})

async function asked(
  around: TeamOptions,
  mischief: { kind: MischiefKind; rate: number; times?: number }[] = [],
) {
  const clock = new FakeClock(Date.parse('2026-03-01'))
  const team = { now: () => clock.wall(), ...around }
  const fake = await new FakeAmplitude({ events: [], around: team, mischief, seed: 4 }).start()
  const source = await sourceOf(fake, clock)
  open.push(source, fake)
  const notes: string[] = []
  const call: AroundCall = { signal: new AbortController().signal, note: (text) => void notes.push(text) }
  return { fake, source, call, notes, clock }
}

async function sourceOf(fake: FakeAmplitude, clock: FakeClock, secret = 'secret-key'): Promise<AroundSource> {
  return amplitudeWork.around!(
    { vendor: 'amplitude', region: 'eu', baseUrl: fake.url },
    {
      env: { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: secret },
      stdin: process.stdin,
      clock,
      patienceMs: 5000,
      memory: { asked: () => [], remember: async () => undefined },
      retry: { retryForMs: 3_600_000, clock, random: seeded(2) },
    },
  )
}

async function rows<K extends keyof AroundSource['read']>(source: AroundSource, kind: K, call: AroundCall) {
  const told = await source.read[kind](call)
  if ('untold' in told) throw new Error(told.untold)
  return told as readonly AroundRow<K>[]
}

async function membersOf(source: AroundSource, cohort: AroundCohort, call: AroundCall): Promise<string[]> {
  const pages = await source.members(cohort, call)
  if ('untold' in pages) throw new Error(pages.untold)
  const ids: string[] = []
  for await (const page of pages) for (const id of page) ids.push(id)
  return ids
}

/** All that there is, in a folder, as a pull does it. */
async function pulled(source: AroundSource, call: AroundCall) {
  const folder = new AroundFolder(testFolder())
  for (const kind of AROUND_KINDS) {
    const told: readonly AroundRow[] | { untold: string } = await source.read[kind](call)
    if ('untold' in told) continue
    const files =
      kind === 'cohorts' ? cohortFiles(told as readonly AroundCohort[]) : new Map<string, string>()
    for (const row of files.size > 0 ? (told as readonly AroundCohort[]) : []) {
      const pages = await source.members(row, call)
      if ('untold' in pages) throw new Error(pages.untold)
      const file = files.get(row.id)!
      Object.assign(row, { file, members: await folder.writeMembers(file, pages) })
    }
    await folder.write(kind, told)
  }
  const held: Record<string, readonly AroundRow[] | undefined> = {}
  for (const kind of AROUND_KINDS) held[kind] = await folder.read(kind)
  return { folder, held }
}

const idOf = (n: number) => userOf(n) || `amplitude:${amplitudeIdOf(n)}`

test('a whole project is pulled, and the folder holds what Amplitude has', async () => {
  const team = amplitudeTeam(WHOLE, seeded(seedOf('amplitude around')))
  const { source, call, notes, fake } = await asked({ team, polls: 2 })
  const { folder, held } = await pulled(source, call)
  expect(held.events).toHaveLength(300)
  expect(held.properties).toHaveLength(901)
  expect(held.annotations).toHaveLength(60)
  const described = held.events as AroundRow<'events'>[]
  for (const { event_type: name, description, category } of team.events) {
    const row = described.find((one) => one.name === name)!
    expect(row.description).toBe(description ?? undefined)
    if (category) expect(row.tags).toContain('Growth')
  }
  const cohorts = held.cohorts as AroundCohort[]
  expect(cohorts.map(({ members }) => members).sort()).toEqual([...WHOLE.cohorts].sort())
  const large = cohorts.find(({ members }) => members === 40_000)!
  const ids: string[] = []
  for await (const page of folder.members(large.file!)) for (const id of page) ids.push(id)
  expect(ids).toEqual(Array.from({ length: 40_000 }, (_, n) => idOf(n)))
  expect(notes).toContain(
    'Cohort 1: 2,000 of 40,000 members have no user id and are named amplitude:<amplitude_id>',
  )
  expect(notes).toContain('categories without events are not carried: Empty')
  // An order of each cohort, and no more.
  expect(fake.seen.filter(({ url }) => /cohorts\/request\/[^/]+$/.test(url.pathname))).toHaveLength(12)
  for (const kind of ['reports', 'dashboards'] as const)
    expect(await source.read[kind](call)).toEqual({
      untold: expect.stringMatching(/only to those who log in/),
    })
}, 60_000)

test.each([['storm'], ['busy'], ['html'], ['drop'], ['cut'], ['drip'], ['timeout']] as const)(
  'nothing is lost or bent by %s',
  async (kind) => {
    const clear = await asked({ team: smallTeam() })
    const rough = await asked({ team: smallTeam(), polls: 1 }, [{ kind, rate: 0.4 }])
    const [{ held: wanted }, { held }] = [
      await pulled(clear.source, clear.call),
      await pulled(rough.source, rough.call),
    ]
    expect(rough.fake.done[kind]).toBeGreaterThan(3)
    expect(held).toEqual(wanted)
  },
)

test("a cohort's download that is cut is fetched again, and not ordered again", async () => {
  const team = only({ cohorts: [{ id: 'c', name: 'C', size: 1500, members: 1500 }] })
  const { source, call, fake } = await asked({ team })
  const [cohort] = await rows(source, 'cohorts', call)
  fake.hold = (seen) => {
    fake.mischief = seen.url.pathname.startsWith('/signed/') ? [{ kind: 'cut', rate: 1, times: 1 }] : []
    return undefined
  }
  expect(await membersOf(source, cohort!, call)).toEqual(Array.from({ length: 1500 }, (_, n) => idOf(n)))
  expect(fake.done.cut).toBe(1)
  const asks = (path: RegExp) => fake.seen.filter(({ url }) => path.test(url.pathname)).length
  expect([asks(/request\/c$/), asks(/request\/0\/file$/), asks(/^\/signed\/0$/)]).toEqual([1, 2, 2])
})

test('a file without a length that has fewer members than the list says must come twice the same', async () => {
  const team = only({ cohorts: [{ id: 'c', name: 'C', size: 99, members: 40 }] })
  // Told in pieces, so that nobody knows its length.
  const { source, call, fake } = await asked({ team }, [{ kind: 'drip', rate: 1 }])
  const [cohort] = await rows(source, 'cohorts', call)
  expect(await membersOf(source, cohort!, call)).toHaveLength(40)
  expect(fake.seen.filter(({ url }) => url.pathname.endsWith('/file'))).toHaveLength(2)
})

test('an order that comes to nothing is given once more, and then it is said', async () => {
  const cohorts = [
    { id: 'once', name: 'Once', size: 2, members: 2 },
    { id: 'never', name: 'Never', size: 2, members: 2 },
  ]
  const { source, call } = await asked({ team: only({ cohorts }), failed: { once: 1, never: 9 } })
  const [once, never] = await rows(source, 'cohorts', call)
  expect(await membersOf(source, once!, call)).toHaveLength(2)
  expect(await source.members(never!, call)).toEqual({ untold: expect.stringContaining('JOB FAILED') })
})

test('cohorts of groups, archived ones and those that Amplitude refuses have a reason', async () => {
  const cohorts = [
    { id: 'g', name: 'G', definition: { countGroup: { name: 'company' } }, members: 1 },
    { id: 'a', name: '', archived: true, members: 1 },
    { id: 'r', name: 'R', definition: { countGroup: { name: 'User' } }, members: 1 },
  ]
  const refuses = { '/api/5/cohorts/request/r': [400, '{"error":"cohort is over the limit"}'] } as const
  const { source, call } = await asked({ team: only({ cohorts }), refuses })
  const listed = await rows(source, 'cohorts', call)
  expect(listed[1]).toEqual({
    id: 'a',
    name: 'cohort a',
    file: null,
    members: null,
    more: { archived: true },
  })
  const reasons = await Promise.all(listed.map((one) => source.members(one, call)))
  expect(reasons).toEqual([
    { untold: 'its members are groups (company), not people' },
    { untold: 'it is archived in Amplitude' },
    { untold: 'Amplitude answered 400: cohort is over the limit' },
  ])
})

test.each([
  [403, '{"error":"not in your plan"}'],
  [404, '{"success":false}'],
] as const)('a plan without the taxonomy (%s) is said, and the others go on', async (status, words) => {
  const { source, call } = await asked({
    team: smallTeam(),
    refuses: { '/api/2/taxonomy/': [status, words] },
  })
  for (const kind of ['events', 'properties'] as const)
    expect(await source.read[kind](call)).toEqual({ untold: expect.stringContaining(`answered ${status}`) })
  expect(await rows(source, 'annotations', call)).toHaveLength(5)
  expect(await rows(source, 'cohorts', call)).toHaveLength(3)
})

test('wrong keys are no plan: the pull ends', async () => {
  const { fake, call, clock } = await asked({ team: smallTeam() })
  const source = await sourceOf(fake, clock, 'wrong-secret')
  open.push(source)
  await expect(source.read.events(call)).rejects.toMatchObject({ code: 'auth' })
})

test('group properties alone may be refused', async () => {
  const refuses = { '/api/2/taxonomy/group-property': [404, 'Not found'] } as const
  const { source, call, notes } = await asked({ team: smallTeam(), refuses })
  const found = await rows(source, 'properties', call)
  expect(new Set(found.map((one) => one.of))).toEqual(new Set(['event', 'person']))
  expect(notes).toEqual([expect.stringMatching(/^properties of groups are not told: .*404/)])
})

test('older projects have annotations by day', async () => {
  const refuses = { '/api/3/annotations': [404, 'no such page'] } as const
  const { source, call, notes } = await asked({ team: smallTeam(), refuses })
  expect(await rows(source, 'annotations', call)).toContainEqual({
    ...{ at: '2026-02-02T00:00:00Z', text: 'Release 1', more: { date: '2026-02-02' } },
  })
  expect(notes).toEqual([expect.stringContaining('without a zone')])
})

test('an event has its words, odd names keep every sign, and nothing is left out', async () => {
  const odd = 'Füße & "Co"/50%?\u2028 #1'
  const events = [
    {
      ...{ event_type: odd, category: { name: 'Growth' }, description: 'x', display_name: 'Feet' },
      ...{ tags: ['core', 'Growth'], owner: 'a@example.com', is_active: false, deleted: true, score: 4 },
    },
    {
      event_type: 'plain',
      display_name: 'plain',
      category: null,
      description: null,
      tags: 'core',
      is_active: true,
    },
  ]
  const eventProperties = {
    '': [],
    [odd]: [
      {
        event_property: 'plan',
        description: 'of feet',
        type: 'enum',
        enum_values: 'a, b',
        is_array_type: false,
      },
    ],
    plain: [{ event_property: 'plan', description: 'of all', type: 'string', is_array_type: true }],
  }
  const userProperties = [
    { user_property: 'platform', description: "Amplitude's" },
    { user_property: 'gp:platform', description: 'ours', type: 'any', is_hidden: true },
  ]
  const groupProperties = [{ group_property: 'grp:seats', group_type: 'company', type: 'number' }]
  const team = only({ events, eventProperties, userProperties, groupProperties })
  const { source, call } = await asked({ team })
  expect(await rows(source, 'events', call)).toEqual([
    {
      ...{ name: odd, display_name: 'Feet', description: 'x', tags: ['Growth', 'core'] },
      ...{ owner: 'a@example.com', hidden: true, more: { deleted: true, score: 4, is_active: false } },
    },
    { name: 'plain', more: { tags: 'core' } },
  ])
  expect(await rows(source, 'properties', call)).toEqual([
    {
      ...{ of: 'event', name: 'plan', events: [odd, 'plain'], type: 'text', description: 'of feet' },
      more: {
        enum_values: 'a, b',
        also: [{ events: ['plain'], type: 'list', description: 'of all', more: { type: 'string' } }],
      },
    },
    {
      ...{ of: 'person', name: 'platform', description: 'ours', hidden: true },
      more: { also: [{ description: "Amplitude's" }] },
    },
    { of: 'group', group: 'company', name: 'seats', type: 'number' },
  ])
})

test('annotations keep their zone and what has no field, and one on two charts is one', async () => {
  const at = { label: 'Out', details: 'in all\nshops', category: { id: 1, name: 'Releases' } }
  const annotations = [
    { ...at, id: 1, start: '2026-02-02T09:00+01:00', end: '2026-02-03T09:00:00+01:00', chart_id: 'x' },
    { ...at, id: 2, start: '2026-02-02T08:00:00+00:00', end: null, chart_id: 'y' },
  ]
  const { source, call } = await asked({ team: only({ annotations }) })
  expect(await rows(source, 'annotations', call)).toEqual([
    {
      ...{ at: '2026-02-02T09:00:00+01:00', text: 'Out\nin all\nshops', tags: ['Releases'] },
      more: {
        ...{ end: '2026-02-03T09:00:00+01:00', chart_id: 'x' },
        also: [{ at: '2026-02-02T08:00:00+00:00', more: { chart_id: 'y' } }],
      },
    },
  ])
})

test('the 61st cohort waits for the quota, and says so', async () => {
  const cohorts = Array.from({ length: 61 }, (_, n) => ({ id: `c${n}`, name: `C ${n}`, members: 0 }))
  const { source, call, notes, clock, fake } = await asked({ team: only({ cohorts }) })
  const began = clock.now()
  for (const cohort of await rows(source, 'cohorts', call)) await membersOf(source, cohort, call)
  expect(clock.now() - began).toBeGreaterThanOrEqual(600_000)
  expect(notes).toEqual([expect.stringContaining("for Amplitude's quota")])
  expect(fake.seen).toHaveLength(1 + 3 * 61)
})
