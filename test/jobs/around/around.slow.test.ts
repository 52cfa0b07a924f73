import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { AroundFolder } from '../../../src/around/index.ts'
import type { AroundDiffResult, AroundPushResult } from '../../../src/jobs/results.ts'
import type { SandboxOptions } from '../../../src/sandbox/sandbox.ts'
import {
  describeProject,
  eventName,
  heldIn,
  type ProjectSizes,
  projectApi,
  sendHistory,
} from '../../helpers/around-project.ts'
import { actAround, openSandbox, pullAround } from '../../helpers/around-runs.ts'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { hurry } from '../../helpers/quick-clock.ts'
import { seeded } from '../../helpers/random.ts'
import { sandboxEnv } from '../../helpers/sandbox-env.ts'
import { seedOf } from '../../helpers/seed.ts'

// PostHog takes 480 requests a minute, and each write is one.
beforeEach(() => hurry(10))
afterEach(() => vi.restoreAllMocks())

const SMALL: ProjectSizes = {
  events: 12,
  properties: 9,
  annotations: 4,
  cohorts: [1, 30, 5],
  reports: 14,
  dashboards: 3,
}

/** A folder pulled from a made-up project, and an empty project with the same people. */
async function moved(options: SandboxOptions = {}) {
  const [source, target] = [await openSandbox(), await openSandbox(options)]
  await sendHistory(source, SMALL)
  await describeProject(source, SMALL, seeded(seedOf('around')))
  await sendHistory(target, SMALL)
  const folder = join(testFolder(), 'around')
  await pullAround(source, folder)
  return {
    source,
    target,
    folder,
    push: (...more: string[]) => actAround<AroundPushResult>(['push', folder, ...more], target),
  }
}

test('what lies around a project goes to another, comes back the same, and goes there once', async () => {
  const { target, folder, push } = await moved()
  const before = await actAround<AroundDiffResult>(['diff', folder], target)
  expect(Object.fromEntries(before.kinds.map(({ kind, lacking }) => [kind, lacking]))).toEqual({
    events: 9,
    properties: 0,
    annotations: 4,
    cohorts: 3,
    reports: 13,
    dashboards: 3,
  })
  const first = await push()
  expect([first.made, first.members]).toEqual([32, { sent: 36, unmatched: 0 }])
  const second = await push()
  expect([second.made, second.changed, second.members.sent]).toEqual([0, 0, 0])

  const again = join(testFolder(), 'again')
  await pullAround(target, again)
  const [here, there] = [await heldIn(folder), await heldIn(again)]
  for (const kind of ['events', 'annotations', 'cohorts', 'dashboards'] as const)
    expect(there[kind]).toEqual(here[kind])
  // The insight that can't be made again; and types that PostHog has found out itself.
  expect(there.reports).toEqual(here.reports.filter((row) => !row.includes('PathsQuery')))
  expect(first.items.filter(({ name }) => name === 'Chart 9')).toMatchObject([{ state: 'by_hand' }])
  expect(there.properties.map(withoutType)).toEqual(here.properties.map(withoutType))
  const members = async (path: string) =>
    (await readFile(join(path, 'cohorts/cohort-1.csv'), 'utf8')).split('\n').sort()
  expect(await members(again)).toEqual(await members(folder))
  expect(await readFile(join(folder, 'by-hand.md'), 'utf8')).toContain(
    '- [ ] report **Chart 9**: it is a PathsQuery',
  )
})

const withoutType = (row: string) => row.replace(/"type":"\w+",?/, '')

test('what people wrote in PostHog stays, and is written over only when that is said', async () => {
  const { target, push } = await moved()
  await push()
  const api = projectApi(target)
  const find = async (path: string, name: string) =>
    ((await api('GET', path)).results as Record<string, never>[]).find(
      (row) => row.name === name || row.content === name,
    )!
  const event = await find('event_definitions/', eventName(4))
  await api('PATCH', `event_definitions/${event.id}/`, {
    description: 'in our words',
    tags: [...(event.tags as unknown as string[]), 'ours'],
  })
  const board = await find('dashboards/', 'Board 1')
  await api('PATCH', `dashboards/${board.id}/`, { name: 'Ours' })
  const note = ((await api('GET', 'annotations/')).results as { id: number }[])[0]!
  await api('PATCH', `annotations/${note.id}/`, { deleted: true })

  const second = await push()
  expect(second.code).toBe(3)
  const seen = second.items.filter(({ state }) => state === 'kept' || state === 'gone')
  const own = seen.filter(({ kind }) => kind !== 'properties')
  expect(own.map(({ kind, state, why }) => [kind, state, why])).toEqual([
    ['events', 'kept', 'in other words there: description'],
    ['annotations', 'gone', 'it was taken away in PostHog after the last push'],
    ['dashboards', 'kept', 'in other words there: name'],
  ])
  expect(await find('event_definitions/', eventName(4))).toMatchObject({ description: 'in our words' })
  const third = await push('--overwrite', '--only', 'events,annotations')
  expect([third.made, third.changed]).toEqual([1, 1])
  const after = await find('event_definitions/', eventName(4))
  expect(after.description).not.toBe('in our words')
  expect(after.tags).toContain('ours')
})

test('undo takes back what the folder brought, and leaves what people changed since', async () => {
  const { target, push } = await moved()
  const api = projectApi(target)
  const list = async (path: string) =>
    (await api('GET', `${path}/?limit=1000`)).results as Record<string, never>[]
  const untouched = await list('event_definitions')
  await push()
  const chart = (await list('insights'))[3]!
  await api('PATCH', `insights/${chart.id}/`, { description: 'we look at it each day' })
  const undone = await push('--undo')
  expect(undone.undone).toMatchObject({ removed: 31, kept: 1 })
  expect(undone.items).toMatchObject([
    { kind: 'reports', name: chart.name, why: 'changed there since: description' },
  ])
  expect((await list('insights')).map(({ id }) => id)).toEqual([chart.id])
  for (const kind of ['dashboards', 'annotations', 'cohorts']) expect(await list(kind)).toEqual([])
  expect(await list('event_definitions')).toEqual(untouched.map((row) => ({ ...row, description: '' })))
  const properties = await list('property_definitions')
  expect(
    properties.filter(({ description, tags }) => description || (tags as unknown as string[]).length > 0),
  ).toEqual([])
  expect((await push('--undo')).undone).toMatchObject({ removed: 0, restored: 0, kept: 1 })
})

test.each([
  ['oss', 'the server takes no description, hidden, verified of events'],
  ['old', 'the server drops description'],
] as const)(
  'a server without descriptions is told once, and pushed to once: %s',
  async (deployment, words) => {
    const { push } = await moved({ dialect: { deployment } })
    const first = await push('--only', 'events,properties,annotations')
    expect(first.notes.filter((note) => note.includes(words))).toHaveLength(1)
    const second = await push('--only', 'events,properties,annotations')
    expect([second.made, second.changed, second.notes]).toEqual([0, 0, []])
  },
)

test('answers that are lost make nothing twice', async () => {
  const { target, push } = await moved()
  target.setFaults(['lost:0.3,on=around', '429:0.02,on=api,retry-after=0'], 7)
  await push()
  target.setFaults([])
  const api = projectApi(target)
  const count = async (path: string) => (await api('GET', `${path}/`)).count
  expect([
    await count('annotations'),
    await count('cohorts'),
    await count('insights'),
    await count('dashboards'),
  ]).toEqual([4, 3, 13, 3])
})

test('a key that lacks a scope is told which', async () => {
  const target = await openSandbox({
    personalKeys: [{ key: 'phx_reader', scopes: ['event_definition:read'] }],
  })
  const folder = join(testFolder(), 'around')
  await new AroundFolder(folder).write('events', [{ name: 'a', description: 'x' }])
  const env = { ...sandboxEnv(target), POSTHOG_PERSONAL_API_KEY: 'phx_reader' }
  const ran = await runCommand(['around', 'push', folder, '--only', 'events'], { env })
  expect(ran.code).toBe(4)
  expect(ran.stderr).toContain('lacks the scope event_definition:write')
})
