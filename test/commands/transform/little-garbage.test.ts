import { afterEach, expect, test, vi } from 'vitest'
import { withLittleGarbage } from '../../../src/commands/transform/little-garbage.ts'

const v8 = vi.hoisted(() => ({ switches: [] as string[] }))

vi.mock('node:v8', async (original) => ({
  ...(await original<typeof import('node:v8')>()),
  setFlagsFromString: (text: string) => void v8.switches.push(text),
}))

afterEach(() => {
  vi.unstubAllGlobals()
  v8.switches.length = 0
})

function onNode(version: string): void {
  vi.stubGlobal('process', { ...process, versions: { ...process.versions, node: version } })
}

test('the switch is back where it was when the work has ended, and when it failed', async () => {
  onNode('22.1.0')
  const during: string[][] = []
  expect(await withLittleGarbage(async () => during.push([...v8.switches]))).toBe(1)
  expect(during).toEqual([['--heap-growing-percent=40']])
  await expect(withLittleGarbage(() => Promise.reject(new Error('no room')))).rejects.toThrow('no room')
  expect(v8.switches.map((text) => text.replace(/.*=/, ''))).toEqual(['40', '0', '40', '0'])
})

test('a version of Node that may not know the switch is not asked to', async () => {
  onNode('99.0.0')
  expect(await withLittleGarbage(async () => 'done')).toBe('done')
  expect(v8.switches).toEqual([])
})
