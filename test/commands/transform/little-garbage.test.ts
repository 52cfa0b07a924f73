import { afterEach, expect, test, vi } from 'vitest'
import { withLittleGarbage } from '../../../src/commands/transform/little-garbage.ts'
import { lastOf } from '../../../src/host.ts'

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

async function* ones() {
  yield 1
}

test('the switch is back where it was when the work has ended, and when it failed', async () => {
  onNode('22.1.0')
  const during: string[][] = []
  async function* work(error?: Error) {
    during.push([...v8.switches])
    if (error) throw error
    yield* ones()
  }
  expect(await lastOf(withLittleGarbage(work()))).toBe(1)
  expect(during).toEqual([['--heap-growing-percent=40']])
  await expect(lastOf(withLittleGarbage(work(new Error('no room'))))).rejects.toThrow('no room')
  expect(v8.switches.map((text) => text.replace(/.*=/, ''))).toEqual(['40', '0', '40', '0'])
})

test('a version of Node that may not know the switch is not asked to', async () => {
  onNode('99.0.0')
  expect(await lastOf(withLittleGarbage(ones()))).toBe(1)
  expect(v8.switches).toEqual([])
})
