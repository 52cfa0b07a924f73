import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import type { ByteRange } from '../../src/store/store.ts'
import { testFolder } from '../helpers/folder.ts'
import { Collected } from './collected.ts'

const looked = vi.hoisted(() => ({ bytes: 0 }))
vi.mock('../../src/inputs/locate.ts', async (original) => {
  const real = await original<typeof import('../../src/inputs/locate.ts')>()
  return {
    ...real,
    async *readPlace(input: { readonly path: string }, range: ByteRange) {
      looked.bytes += Math.max(0, range.end - range.start)
      yield* real.readPlace(input, range)
    },
  }
})

test('ranges inside one long line do not each look for its end', async () => {
  const path = join(testFolder(), 'long.ndjson')
  const sound = '{"a":1}\n'
  writeFileSync(path, `${sound}${'x'.repeat(100_000)}\n${sound}`)
  const [input] = await listInputs([path])
  const all = new Collected()
  looked.bytes = 0
  for (let start = 0; start < input!.size; start += 1000) {
    const end = Math.min(start + 1000, input!.size)
    await readRecords(input!, all, { range: { start, end }, maxLineBytes: 5000 })
  }
  expect(all.lines).toEqual(['{"a":1}', '{"a":1}'])
  // Each range is looked through once, and the line once more by the range that it begins in.
  expect(looked.bytes).toBeLessThan(3 * input!.size)
})

test('lines of a file that became shorter since it was listed are no whole file', async () => {
  const path = join(testFolder(), 'cut.ndjson')
  const line = '{"a":1}\n'
  writeFileSync(path, line.repeat(3))
  const [input] = await listInputs([path])
  truncateSync(path, line.length)
  const range = { start: 0, end: input!.size }
  await expect(readRecords(input!, new Collected(), { range })).rejects.toMatchObject({
    code: 'input',
    message: `${path} became shorter while it was read`,
  })
})
