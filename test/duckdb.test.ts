import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { duckDBMissing, loadDuckDB } from '../src/duckdb.ts'
import { testFolder } from './helpers/folder.ts'

const ABSENT = new Error("Cannot find package '@duckdb/node-api'\nRequire stack: …")
const PACKAGE = '--include=optional @duckdb/node-api@~1.5.5-r.5'

/** What the error says for a posthaul below a folder, which has a package.json or not. */
function said(below: string, isProject: boolean): readonly string[] {
  const folder = testFolder()
  const root = join(folder, below)
  mkdirSync(root, { recursive: true })
  if (isProject) writeFileSync(join(folder, 'package.json'), '{}')
  const { code, exitCode, message, lines, hint } = duckDBMissing('the sandbox needs', ABSENT, root)
  expect({ code, exitCode }).toEqual({ code: 'config', exitCode: 2 })
  expect(message).toBe("the sandbox needs DuckDB, an optional part of posthaul, which can't be loaded here")
  return [...lines, hint!].map((line) => line.replace(folder, 'FOLDER'))
}

test('an error names the package, its version and the folder to install it in', () => {
  const local = [
    ABSENT.message.split('\n')[0],
    'install it in the folder FOLDER',
    `install it: npm install ${PACKAGE}`,
  ]
  expect(said('node_modules/posthaul', true)).toEqual(local)
  expect(said('', true)).toEqual(local)
})

test('a posthaul for the whole machine gets it there too', () => {
  expect(said('lib/node_modules/posthaul', false).at(-1)).toBe(`install it: npm install -g ${PACKAGE}`)
})

test('in the folder itself the command is enough, and fits a terminal', () => {
  const { lines, hint } = duckDBMissing('the sandbox needs', ABSENT, process.cwd())
  expect(lines).toHaveLength(1)
  expect(`  ${hint}`.length).toBeLessThanOrEqual(80)
})

test('where it is installed, it is loaded', async () => {
  expect(await loadDuckDB('this test needs')).toHaveProperty('DuckDBInstance')
})
