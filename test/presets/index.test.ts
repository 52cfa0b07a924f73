import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { loadPreset, PRESET_NAMES, PRESETS } from '../../src/presets/index.ts'

const ROOT = new URL('../../', import.meta.url)
/** The page that lists all presets. */
const PAGE = readFileSync(new URL('docs/vendors/README.md', ROOT), 'utf8')

describe.each(PRESETS)('$name', ({ name, title, reads, load }) => {
  test('writes its name as the source of every event', async () => expect((await load()).vendor).toBe(name))

  test.each(['valid', 'invalid'])('has %s fixtures', (kind) => {
    expect(readdirSync(new URL(`fixtures/${name}/${kind}/`, ROOT)).length).toBeGreaterThan(0)
  })

  test('is in the table of the docs', () => {
    expect(PAGE).toContain(`\n| \`${name}\` | ${title} | ${reads} |`)
  })
})

test('the docs and the fixtures know no preset that is gone', () => {
  const table = PAGE.slice(PAGE.indexOf('| preset |')).split('\n\n')[0]!
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
