import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { rows, startHarness, uuid } from './harness.ts'

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'posthaul-restart-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

const group = (plan: string) => ({
  uuid: uuid(1),
  event: '$groupidentify',
  distinct_id: 'company_acme',
  timestamp: '2024-03-01T00:00:00Z',
  properties: { $group_type: 'company', $group_key: 'acme', $group_set: { plan } },
})

test('events, groups and keys outlive a restart', async () => {
  const data = folder()
  const before = await startHarness({ data })
  await before.send([group('free'), { event: 'a', distinct_id: 'u', uuid: uuid(2) }])
  await before.sandbox.close()

  const after = await startHarness({ data })
  expect(after.sandbox.projectKey).toBe(before.sandbox.projectKey)
  expect(after.sandbox.personalKey).toBe(before.sandbox.personalKey)
  await after.send([group('pro')])
  expect(await rows(after.sandbox, 'SELECT count() FROM events')).toEqual([[2]])
  expect(await rows(after.sandbox, 'SELECT index, key, properties.plan FROM groups')).toEqual([
    [0, 'acme', 'pro'],
  ])
})

test('a temporary folder goes with its sandbox, a given one stays', async () => {
  const data = folder()
  const [temporary, kept] = [await startHarness(), await startHarness({ data })]
  expect(existsSync(temporary.sandbox.data)).toBe(true)
  await temporary.sandbox.close()
  await kept.sandbox.close()
  expect(existsSync(temporary.sandbox.data)).toBe(false)
  expect(existsSync(join(data, 'sandbox.duckdb'))).toBe(true)
})

test('closing twice, and under way requests, do no harm', async () => {
  const { sandbox, send } = await startHarness()
  const sending = send([{ event: 'a', distinct_id: 'u' }]).catch(() => undefined)
  await Promise.all([sandbox.close(), sandbox.close(), sending])
})

test.each([
  [
    'a folder that another sandbox uses',
    'locked',
    async (data: string) => void (await startHarness({ data })),
  ],
  ['a folder of something else', 'config', (data: string) => writeFileSync(join(data, 'sandbox.json'), '{}')],
  [
    'a damaged file',
    'config',
    (data: string) => writeFileSync(join(data, 'sandbox.duckdb'), 'x'.repeat(5000)),
  ],
])('%s is a clear error', async (_, code, spoil) => {
  const data = folder()
  await spoil(data)
  await expect(startHarness({ data })).rejects.toMatchObject({ name: 'PosthaulError', code })
})

test('a folder that can not be made is a clear error', async () => {
  const data = join(folder(), 'file')
  writeFileSync(data, '')
  await expect(startHarness({ data })).rejects.toMatchObject({ name: 'PosthaulError', code: 'config' })
})

test('a port that is taken is a clear error', async () => {
  const { sandbox } = await startHarness()
  await expect(startHarness({ port: sandbox.port })).rejects.toMatchObject({
    name: 'PosthaulError',
    message: expect.stringContaining('the port is taken'),
  })
})
