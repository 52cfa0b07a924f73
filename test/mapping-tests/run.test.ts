import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'

const ROOT = join(import.meta.dirname, '../..')
const FIXTURES = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /(^|[/.])mapping\.yaml$/.test(name),
)

test.each(FIXTURES)('the tests of fixtures/%s pass', async (name) => {
  const { code, stdout, stderr } = await runCommand(['test', join(ROOT, 'fixtures', name)])
  expect(code, stdout + stderr).toBe(0)
})

test('a file of tests is not taken for its mapping file', async () => {
  const { code, stderr } = await runCommand(['test', 'shop.test.yaml'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('shop.test.yaml is a file of tests')])
})
