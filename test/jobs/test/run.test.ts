import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'

const ROOT = join(import.meta.dirname, '../../..')
const FIXTURES = readdirSync(join(ROOT, 'fixtures'), { recursive: true, encoding: 'utf8' }).filter((name) =>
  /(^|[/.])mapping\.yaml$/.test(name),
)

test.each(FIXTURES)('the tests of fixtures/%s pass', async (name) => {
  const { code, stdout, stderr } = await runCommand(['test', join(ROOT, 'fixtures', name)])
  expect(code, stdout + stderr).toBe(0)
})

const DOCS = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .flatMap((name) =>
    [...readFileSync(join(ROOT, 'docs', name), 'utf8').matchAll(/^```yaml\n([^`]*)^```$/gm)]
      .filter(([, yaml]) => /^tests:/m.test(yaml!))
      .map(([, yaml]) => [name, yaml!] as const),
  )

test.each(DOCS)('the tests of a mapping file in docs/%s pass', async (_, yaml) => {
  const path = join(testFolder(), 'mapping.yaml')
  writeFileSync(path, yaml)
  const { code, stdout, stderr } = await runCommand(['test', path])
  expect(code, stdout + stderr).toBe(0)
})
