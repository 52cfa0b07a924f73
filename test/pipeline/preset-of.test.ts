import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { namePreset, presetOf } from '../../src/pipeline/preset-of.ts'
import { testFolder } from '../helpers/folder.ts'

const PRESET = (vendor: string) => `export default {
  vendor: '${vendor}',
  fields: { name: '@name' },
  eventName: (record) => record.text('name'),
  distinctId: () => 'u',
  timestamp: () => 0,
}`

function presetFile(text: string): string {
  const path = join(testFolder(), 'acme.mjs')
  writeFileSync(path, text)
  return path
}

test('a name is one of posthaul’s own, a path is a file', async () => {
  expect(await namePreset('mixpanel')).toEqual({ preset: 'mixpanel' })
  const named = await namePreset(presetFile(PRESET('acme')))
  expect(named.presetSha256).toMatch(/^[0-9a-f]{64}$/)
  expect((await presetOf(named)).vendor).toBe('acme')
})

test('a file that changes in mid-run is refused, and is another preset in the next', async () => {
  const path = presetFile(PRESET('before'))
  const named = await namePreset(path)
  expect((await presetOf(named)).vendor).toBe('before')
  writeFileSync(path, PRESET('after'))
  await expect(presetOf(named)).rejects.toMatchObject({ code: 'mismatch' })
  const again = await namePreset(path)
  expect(again.presetSha256).not.toBe(named.presetSha256)
  expect((await presetOf(again)).vendor).toBe('after')
})

test.each([
  ['no preset', 'export const other = 1', /exports no preset/],
  ['what is none', 'export default { vendor: "x" }', /acme\.mjs: fields: expected/],
  ['no JavaScript', 'export defalt', /can't be loaded: /],
  ['what fails as it is loaded', 'null.x', /can't be loaded: Cannot read/],
])('a file with %s is code config', async (_, text, message) => {
  const named = await namePreset(presetFile(text))
  await expect(presetOf(named)).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(message),
  })
})

test('a file that is not there is named', async () => {
  await expect(namePreset('./none.mjs')).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('./none.mjs'),
  })
})
