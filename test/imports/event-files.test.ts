import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEventFiles } from '../../src/imports/event-files.ts'
import { draftOf, previousOf } from '../../src/state/cell.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'

const LINE = '{"event":"a","distinct_id":"u","timestamp":"2024-03-01T00:00:00Z"}\n'
const STATE = `${JSON.stringify({ version: 1, tool: 'posthaul 0.1.0', checksum: 'c' }, undefined, 1)}\n`

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(testFolder(), 'days')
  await mkdir(folder)
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
  return folder
}

test.each([
  ['in the folder', ''],
  ['by way of a link', 'link.ndjson'],
])('refuses a checkpoint that would take the place of data %s', async (_, link) => {
  const folder = await folderOf({ 'a.ndjson': LINE, 'b.ndjson': LINE })
  const data = join(folder, 'b.ndjson')
  if (link !== '') await symlink(data, join(folder, link))
  const input = join(folder, link)
  for (const more of [['--dry-run'], ['--restart']]) {
    const env = { POSTHOG_HOST: 'http://127.0.0.1:9', POSTHOG_PROJECT_API_KEY: 'phc_key' }
    const ran = await runCommand(['import', '--file', input, '--checkpoint', data, ...more], { env })
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('write over what is imported') })
  }
  expect(await readFile(data, 'utf8')).toBe(LINE)
})

test('a checkpoint in the folder is no input, under any name and for any command', async () => {
  const folder = await folderOf({ 'a.ndjson': LINE, 'b.ndjson': LINE })
  const state = join(folder, 'state.json')
  for (const path of [state, previousOf(state), draftOf(state)]) await writeFile(path, STATE)
  expect((await openEventFiles([folder])).totalBytes).toBe(2 * LINE.length)
  // A run that died as it began to save.
  await writeFile(draftOf(state), '')
  const own = [state, previousOf(state), draftOf(state)]
  expect((await openEventFiles([folder], own)).name).toBe('a.ndjson and 1 more')
})

test('events in UTF-16 are refused with the transform that reads them; a mark of UTF-8 is none of it', async () => {
  const folder = await folderOf({ 'marked.ndjson': `\uFEFF${LINE}` })
  expect((await openEventFiles([folder])).name).toContain('marked.ndjson')
  const wide = join(folder, 'wide.ndjson')
  await writeFile(wide, Buffer.from(`\uFEFF${LINE}`, 'utf16le'))
  await expect(openEventFiles([wide])).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('text in UTF-16'),
    hint: expect.stringContaining('posthaul transform --preset posthog'),
  })
})

test('a raw dataset is refused with the transform that makes events of it', async () => {
  const about = { version: 2, kind: 'raw', tool: 't', created_at: '2024-04-01T12:00:00.000Z', parts: [] }
  const manifest = { ...about, source: { preset: 'mixpanel' }, records: 0 }
  const folder = await folderOf({ 'manifest.json': JSON.stringify(manifest) })
  await expect(openEventFiles([folder])).rejects.toMatchObject({
    hint: `turn it into events: posthaul transform --preset mixpanel --in ${folder} --out events/`,
  })
})
