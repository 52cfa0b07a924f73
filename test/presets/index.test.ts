import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadPreset, PRESET_NAMES, PRESETS } from '../../src/presets/index.ts'

const ROOT = new URL('../../', import.meta.url)
/** What a user reads: README, and the pages by topic. */
const DOCS = ['README.md', ...pages()].map((page) => readFileSync(new URL(page, ROOT), 'utf8')).join('\n')

describe.each(PRESETS)('$name', ({ name, title, reads, load }) => {
  test('writes its name as the source of every event', async () => expect((await load()).vendor).toBe(name))

  test.each(['valid', 'invalid'])('has %s fixtures', (kind) => {
    expect(readdirSync(new URL(`fixtures/${name}/${kind}/`, ROOT)).length).toBeGreaterThan(0)
  })

  test('is in the table of the docs', () => {
    expect(DOCS).toContain(`| \`${name}\` | ${title} | ${reads} |\n`)
  })
})

test('the docs and the fixtures know no preset that is gone', () => {
  const table = DOCS.slice(DOCS.indexOf('| preset |')).split('\n\n')[0]!
  expect([...table.matchAll(/^\| `([^`]+)`/gm)].map(([, name]) => name)).toEqual(PRESET_NAMES)
  const folders = readdirSync(new URL('fixtures/', ROOT)).filter((folder) =>
    readdirSync(new URL(`fixtures/${folder}/`, ROOT)).includes('valid'),
  )
  expect(folders).toEqual([...PRESET_NAMES].sort())
})

test.each([
  ['mixpanle', 'did you mean "mixpanel"?'],
  ['toString', `presets: ${PRESET_NAMES.join(', ')}`],
])('%s is refused', async (name, hint) => {
  await expect(loadPreset(name)).rejects.toMatchObject({ code: 'usage', hint })
})

function pages(): string[] {
  const folder = new URL('docs/', ROOT)
  return existsSync(folder)
    ? readdirSync(folder)
        .filter((name) => name.endsWith('.md'))
        .map((name) => `docs/${name}`)
    : []
}
