import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { testFolder } from './helpers/folder.ts'

const fileOf = (path: string) => fileURLToPath(new URL(`../${path}`, import.meta.url))

/** Starts the program on a Node that says it is another one. */
function startedOn(version: string) {
  const preload = join(testFolder(), 'version.cjs')
  writeFileSync(preload, `Object.defineProperty(process, 'version', { value: '${version}' })\n`)
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ['--require', preload, fileOf('bin/posthaul.js'), '--version'],
    { encoding: 'utf8' },
  )
  return { status, stderr, stdout }
}

describe('bin/posthaul.js', () => {
  test.each(['v12.22.12', 'v18.20.8', 'v20.17.0'])('on Node %s it says which one is needed', (version) => {
    const { status, stderr, stdout } = startedOn(version)
    expect([status, stdout]).toEqual([2, ''])
    expect(stderr).toContain(`posthaul needs Node 20.18 or newer, and this is Node ${version.slice(1)}\n`)
  })

  test('it needs what package.json says', () => {
    const { engines } = JSON.parse(readFileSync(fileOf('package.json'), 'utf8')) as {
      engines: { node: string }
    }
    expect(engines.node).toMatch(/^>=20\.18\./)
  })

  test('it loads nothing before it has looked', () => {
    const text = readFileSync(fileOf('bin/posthaul.js'), 'utf8')
    // Static imports are loaded first, wherever they are; and Node 12 knows neither of the others.
    expect(text).not.toMatch(/^\s*(import\s[^(]|export\s|await\s)|\?\.|\?\?/m)
  })
})

describe('dist/', () => {
  test('has the licences of the libraries in its pages', () => {
    for (const folder of ['web', 'web/studio']) {
      const text = readFileSync(fileOf(`dist/${folder}/licences.md`), 'utf8')
      expect(text).toMatch(/^## preact - \d[^\n]+\(MIT\)\n\nThe MIT License/m)
    }
  })

  test('has the licences of the libraries in the program', () => {
    const text = readFileSync(fileOf('dist/licences.md'), 'utf8')
    for (const name of ['commander', 'zod'])
      expect(text).toMatch(new RegExp(`^## ${name} - \\d[^\\n]+\\(MIT\\)\\n`, 'm'))
  })

  test('the schema of results takes members that a later version adds', () => {
    const text = readFileSync(fileOf('dist/results.schema.json'), 'utf8')
    expect(text).not.toContain('"additionalProperties": false')
  })
})
