import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
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
  ['ends it as if it had been paused', 'process.exit(5)'],
])('a preset file that %s is no success', async (_, words) => {
  const { code, stderr } = await transformBy(words)
  expect(stderr).toContain('the process ended before its work was done')
  expect(code).toBe(1)
})

test('a preset file that leaves a timer behind does not keep the process', async () => {
  const { code, stderr } = await transformBy('setInterval(() => undefined, 1000)')
  expect(stderr).not.toContain('ended before the work did')
  expect(code).toBe(2)
})

// A worker's file has copies of the classes that a preset file gets from the package: they are known by their names.
test('a preset file chooses the reason of a reject, and leaves records out', async () => {
  const folder = testFolder()
  const index = pathToFileURL(join(import.meta.dirname, '../../dist/index.js')).href
  writeFileSync(
    join(folder, 'own.mjs'),
    `import { definePreset, Filtered, parseTime, Rejection } from '${index}'
export default definePreset({
  vendor: 'acme',
  fields: { name: '@name', user: '@user', at: '@at' },
  eventName(record) {
    const name = record.text('name')
    if (name === 'odd') throw new Rejection('too_odd', 'it is odd')
    if (name === 'ping') throw new Filtered('pings')
    return name
  },
  distinctId: (record) => record.text('user'),
  timestamp: (record) => parseTime(record.text('at')),
})
`,
  )
  const lines = ['signup', 'login', 'odd', 'ping'].map((name) => EVENT.replace('signup', name))
  writeFileSync(join(folder, 'in.ndjson'), lines.join(''))
  const options = ['--preset', './own.mjs', '--in', 'in.ndjson', '--out', 'out', '--max-reject-ratio', '0.5']
  const { stderr } = await runHosted(['transform', ...options], {}, folder)
  expect(stderr).toMatch(/written +2 /)
  expect(stderr).toMatch(/rejected +1 +too_odd 1\n/)
  expect(stderr).toMatch(/filtered +1 +pings 1\n/)
})
