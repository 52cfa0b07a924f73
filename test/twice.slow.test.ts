import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startProgram } from './helpers/cli-process.ts'
import { testFolder } from './helpers/folder.ts'
import { ROOT } from './helpers/markdown.ts'

test('a test that is red once is told from one that is red twice, by name and seed, and the run fails', async () => {
  const folder = testFolder()
  mkdirSync(join(folder, 'test'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module","scripts":{"test":"vitest run"}}')
  writeFileSync(
    join(folder, 'test/green.test.js'),
    `import { test } from 'vitest'\ntest('green', () => {})\n`,
  )
  writeFileSync(
    join(folder, 'test/red.test.js'),
    `import { existsSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seedOf } from '${ROOT}/test/helpers/random.ts'
seedOf('red', 4711)
const was = existsSync('was')
writeFileSync('was', '')
test('by chance', () => expect(was).toBe(true))
test('always', () => expect(1).toBe(2))
`,
  )
  const env = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }
  const argv = [join(ROOT, 'scripts/test-twice.js'), 'test']
  const { code, stdout } = await startProgram(process.execPath, argv, { cwd: folder, env }).ended
  expect(code).toBe(1)
  expect(stdout).toContain('2 tests were red: running 1 files once more')
  expect(stdout.slice(stdout.indexOf('The tests that were red:'))).toBe(`The tests that were red:
  red by chance  test/red.test.js: by chance
                 red: POSTHAUL_SEED=4711
  red twice      test/red.test.js: always
                 red: POSTHAUL_SEED=4711
`)
})
