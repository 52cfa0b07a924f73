import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { startProgram } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'

const BIN = fileURLToPath(new URL('../../bin/posthaul.js', import.meta.url))
const NOTER = fileURLToPath(new URL('../helpers/note-modules.mjs', import.meta.url))

const EVENT = {
  event: 'paid',
  distinct_id: 'u1',
  timestamp: '2024-03-01T10:00:00Z',
  uuid: '018df9b4-5f00-7000-8000-000000000001',
  properties: {},
}

/** Rooms that none of these commands has a use for. */
const NEVER = ['sandbox', 'sources', 'library', 'demo', 'preflight', 'migration']

/*
 * What starts a thousand times a day starts fast: each package and room costs every start. What a command loads only where
 * it needs it (`await import`) must not come back among its first imports.
 */
test.each([
  { words: '--version', packages: ['commander'], no: ['service', 'delivery', 'transform', 'mapping'] },
  { words: 'import --help', packages: ['commander'], no: ['service', 'transform', 'mapping', 'audit'] },
  {
    words: 'import --file events.ndjson --dry-run',
    packages: ['commander', 'p-limit', 'yocto-queue'],
    no: ['service', 'transform'],
  },
  {
    words: 'status --file events.ndjson',
    packages: ['commander', 'zod'],
    no: ['service', 'transform', 'mapping', 'audit', 'persons'],
  },
  {
    words: 'transform --preset posthog --in events.ndjson --out out',
    packages: ['commander', 'p-limit', 'yocto-queue', 'zod'],
    no: ['service', 'delivery', 'audit', 'persons'],
  },
])('posthaul $words loads only what it uses', async ({ words, packages, no }) => {
  const argv = words.split(' ')
  const cwd = testFolder()
  await writeFile(join(cwd, 'events.ndjson'), `${JSON.stringify(EVENT)}\n`)
  const noted = join(cwd, 'modules')
  const { ended } = startProgram(process.execPath, ['--import', NOTER, BIN, ...argv], {
    cwd,
    env: { NOTED_MODULES: noted },
  })
  // An import that has not started is no status to show.
  expect((await ended).code).toBe(argv[0] === 'status' ? 2 : 0)
  const urls = (await readFile(noted, 'utf8')).split('\n')
  const loaded = namesIn(urls, /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//)
  expect(loaded).toEqual(packages)
  const rooms = namesIn(urls, /\/dist\/([^/]+)\/(?!.*node_modules)/)
  expect(rooms.filter((room) => [...NEVER, ...no].includes(room))).toEqual([])
})

function namesIn(urls: readonly string[], pattern: RegExp): string[] {
  return [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort()
}
