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

/*
 * What starts a thousand times a day starts fast: each file and package costs every start. What a command loads only where
 * it needs it (`await import`) must not come back among its first imports. `files`: how many of dist/ it may load at most.
 */
test.each([
  { words: '--version', packages: [], files: 1 },
  { words: '--help', packages: [], files: 1 },
  { words: 'import --help', packages: [], files: 3 },
  { words: 'import --file events.ndjson --dry-run', packages: [], files: 11 },
  // Its work lies apart from its help, and has a schema.
  { words: 'status --file events.ndjson', packages: [], files: 6 },
  // So small an input has no thread, whose files would be three more.
  { words: 'transform --preset posthog --in events.ndjson --out out', packages: [], files: 9 },
])('posthaul $words loads only what it uses', async ({ words, packages, files }) => {
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
  const own = namesIn(urls, /^(?!.*\/node_modules\/).*\/dist\/(.+)$/)
  expect(own).toContain('main.js')
  expect(own.length, own.join(' ')).toBeLessThanOrEqual(files)
})

function namesIn(urls: readonly string[], pattern: RegExp): string[] {
  return [...new Set(urls.flatMap((url) => pattern.exec(url)?.[1] ?? []))].sort()
}
