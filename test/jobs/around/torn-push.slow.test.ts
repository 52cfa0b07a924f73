import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AroundFolder } from '../../../src/around/index.ts'
import type { AroundPushResult } from '../../../src/jobs/results.ts'
import type { Sandbox } from '../../../src/sandbox/sandbox.ts'
import { projectApi } from '../../helpers/around-project.ts'
import { actAround, openSandbox, pullAround } from '../../helpers/around-runs.ts'
import { testFolder } from '../../helpers/folder.ts'

const insight = (event: string) => ({
  kind: 'InsightVizNode',
  source: { kind: 'TrendsQuery', series: [{ kind: 'EventsNode', event }] },
})
const report = (id: string, event: string) => ({
  id,
  name: 'Signups',
  kind: 'TrendsQuery',
  query: insight(event),
})
const cohort = { id: '1', name: 'VIP', file: 'cohorts/vip.csv', members: 1 }

async function opened() {
  const target = await openSandbox({
    personalKeys: [
      { key: 'phx_reader', scopes: ['cohort:read', 'insight:read', 'insight:write', 'project:read'] },
    ],
  })
  const folder = new AroundFolder(join(testFolder(), 'around'))
  const api = projectApi(target)
  const pushed = join(folder.path, '.pushed.json')
  return {
    ...{ target, folder, api, pushed },
    push: (sandbox: Sandbox, ...more: string[]) =>
      actAround<AroundPushResult>(['push', folder.path, ...more], sandbox),
    list: async (path: string) =>
      (await api('GET', `${path}/?limit=1000`)).results as Record<string, never>[],
  }
}

async function members(folder: AroundFolder) {
  await folder.write('cohorts', [cohort])
  await folder.writeMembers(
    cohort.file,
    (async function* () {
      yield ['user 1']
    })(),
  )
}

test("what a push was refused is not taken for its own by an undo: a person's cohort of that name stays", async () => {
  const { target, folder, api, push, list } = await opened()
  await members(folder)
  await expect(
    push(Object.assign(Object.create(target), { personalKey: 'phx_reader' }), '--only', 'cohorts'),
  ).rejects.toThrow('cohort:write')
  await api('POST', 'cohorts/', { name: 'VIP', filters: { properties: { type: 'AND', values: [] } } })
  expect((await push(target, '--undo')).undone).toMatchObject({ removed: 0 })
  expect(await list('cohorts')).toHaveLength(1)
})

test('insights of one name keep apart when a push is killed before it knows their ids', async () => {
  const { target, folder, push, list, pushed } = await opened()
  await folder.write('reports', [report('1', 'a'), report('2', 'b')])
  await push(target)
  const state = JSON.parse(await readFile(pushed, 'utf8'))
  const key = Object.keys(state.projects)[0]!
  state.projects[key] = state.projects[key].map((thing: object) => ({
    ...thing,
    id: null,
    // The server lists them in another order than the folder.
    key: (thing as { key: string }).key === '1' ? '2' : '1',
    left: {},
    pending: true,
  }))
  await writeFile(pushed, JSON.stringify(state))
  await folder.write('reports', [report('1', 'b'), report('2', 'a')])
  const again = await push(target)
  expect([again.made, again.items]).toEqual([0, []])
  expect(await list('insights')).toHaveLength(2)
  expect((await push(target, '--undo')).undone).toMatchObject({ removed: 2, kept: 0 })
})

test('an undo that is killed before it says what it did is done by the next one', async () => {
  const { target, folder, api, push, pushed, list } = await opened()
  await api('POST', 'event_definitions/', { name: 'paid', tags: ['core'] })
  await folder.write('events', [{ name: 'paid', tags: ['money'] }])
  await push(target, '--overwrite')
  const before = await readFile(pushed, 'utf8')
  expect((await push(target, '--undo')).undone).toMatchObject({ restored: 1 })
  await writeFile(pushed, before)
  const again = await push(target, '--undo')
  expect([again.code, again.undone?.kept]).toEqual([0, 0])
  expect(await list('event_definitions')).toMatchObject([{ name: 'paid', tags: ['core'] }])
})

test('what a push makes in place of what a person took away is its own', async () => {
  const { target, folder, api, push, list } = await opened()
  const { id } = await api('POST', 'event_definitions/', { name: 'paid' })
  await folder.write('events', [{ name: 'paid', description: 'money came' }])
  await push(target)
  await fetch(`${target.url}/api/projects/${target.projectId}/event_definitions/${id}/`, {
    method: 'DELETE',
    headers: { authorization: `Bearer ${target.personalKey}` },
  })
  expect((await push(target, '--overwrite')).made).toBe(1)
  expect((await push(target, '--undo')).undone).toMatchObject({ removed: 1 })
  expect(await list('event_definitions')).toEqual([])
})

test('two tiles of the same words are two tiles', async () => {
  const { target, folder, api, push, list } = await opened()
  const source = await openSandbox()
  const there = projectApi(source)
  const { id } = await there('POST', 'dashboards/', { name: 'Board' })
  const tile = (y: number) => ({ text: { body: '---' }, layouts: { sm: { x: 0, y, w: 12, h: 1 } } })
  await there('PATCH', `dashboards/${id}/`, { tiles: [tile(0), tile(9)] })
  await pullAround(source, folder.path)
  await push(target)
  const [board] = await list('dashboards')
  const [pulled] = (await folder.read('dashboards'))!
  const tiles = [tile(3), tile(7)].map(({ text, layouts }) => ({ text: text.body, layouts }))
  await folder.write('dashboards', [{ ...pulled!, tiles }])
  expect(await push(target)).toMatchObject({ changed: 1 })
  const placed = (await api('GET', `dashboards/${board!.id}/`)).tiles
  expect(placed).toMatchObject([tile(3), tile(7)])
  expect(await push(target)).toMatchObject({ made: 0, changed: 0, items: [] })
})

test('names of any signs come as they are, and once', async () => {
  const { target, folder, push, list } = await opened()
  const name = `"VIP" a/b\\c 'é' 🎉; name="x"\r\n--y ${'z'.repeat(340)}`
  await members(folder)
  await folder.write('cohorts', [{ ...cohort, name }])
  await folder.write('reports', [{ ...report('1', 'a/b "c"'), name }])
  await folder.write('annotations', [{ at: '2026-03-02T09:00:00Z', text: name }])
  expect((await push(target)).made).toBe(3)
  expect(await push(target)).toMatchObject({ made: 0, changed: 0, items: [] })
  expect((await list('cohorts')).map((one) => one.name)).toEqual([name])
})

test('words that end with a line end, as blocks of YAML do, are taken once', async () => {
  const { target, folder, push } = await opened()
  await members(folder)
  await folder.write('cohorts', [{ ...cohort, name: 'VIP ', description: 'who pay\n' }])
  await folder.write('events', [{ name: 'paid', description: 'money came\n' }])
  await folder.write('annotations', [{ at: '2026-03-02T09:00:00Z', text: 'Release 1\n' }])
  target.setFaults(['lost:0.5,on=around'], 3)
  await push(target)
  target.setFaults([])
  expect(await push(target)).toMatchObject({ made: 0, changed: 0, items: [] })
  expect((await push(target, '--undo')).undone).toMatchObject({ removed: 3, kept: 0 })
})

test('a row that was copied by hand and kept its id is refused', async () => {
  const { target, folder, push } = await opened()
  await folder.write('reports', [report('1', 'a'), { ...report('1', 'b'), name: 'Another' }])
  await expect(push(target)).rejects.toThrow('is there twice')
})
