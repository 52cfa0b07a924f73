import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'

const EVENT = '{"name":"signup","user":"u1","at":"2024-03-01T10:00:00Z"}\n'
/** Transforms one record by a preset file that begins with these words. */
async function transformBy(words: string) {
  const folder = testFolder()
  writeFileSync(join(folder, 'in.ndjson'), EVENT)
  writeFileSync(join(folder, 'own.mjs'), `${words}\nexport default {}\n`)
  return runCli(['transform', '--preset', './own.mjs', '--in', 'in.ndjson', '--out', 'out'], {}, folder)
}

test.each([
  ['waits for ever', 'await new Promise(() => undefined)'],
  ['ends the process', 'process.exit(0)'],
])('a preset file that %s is no success', async (_, words) => {
  const { code, stderr } = await transformBy(words)
  expect(stderr).toContain('the process ended before the work did')
  expect(code).toBe(1)
})

test('a preset file that leaves a timer behind does not keep the process', async () => {
  const { code, stderr } = await transformBy('setInterval(() => undefined, 1000)')
  expect(stderr).not.toContain('ended before the work did')
  expect(code).toBe(2)
})
