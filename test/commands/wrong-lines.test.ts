import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'

/** What a user mistypes, the exit code, and what helps. No key is set. */
test.each([
  ['check a.ndjson', 2, /is a file, and no dataset .* --file/],
  ['verify a.ndjson', 2, /is a file, and no dataset/],
  ['import --dataset a.ndjson', 2, /is a file, and no dataset/],
  ['export mixpanel --from 2024-02-01 --to 2024-03-01 --out a.ndjson', 2, /is a file, and no dataset/],
  [
    'export mixpanel --from 2024-02-01 --to 2024-03-01 --out b.ndjson',
    2,
    /looks like a file.* --out \S*\/b\//,
  ],
  ['export mixpanel --from 2024-02-01 --to 2024-01-01 --out raw', 2, /--from 2024-02-01 is not before/],
  ['export amplitude --from 2024-02-01 --to 2024-01-01 --out raw', 2, /is not before --to/],
  [
    'export amplitude --from 2024-01-01 --to 2024-02-01 --out raw',
    4,
    /no credentials .* set AMPLITUDE_API_KEY/,
  ],
  ['import --input a.ndjson', 2, /did you mean --file\?/],
  ['transform --input a.ndjson', 2, /did you mean --in\?/],
  ['help transfrom', 2, /unknown command 'transfrom' did you mean transform\?/],
])('%s', async (line, code, help) => {
  const folder = testFolder()
  writeFileSync(join(folder, 'a.ndjson'), `${eventLine(makeEvent(0))}\n`)
  const argv = line.split(' ').map((word) => (/ndjson$|^raw$/.test(word) ? join(folder, word) : word))
  const ran = await runCommand(argv, {
    env: { POSTHOG_HOST: 'http://127.0.0.1:9', POSTHOG_PROJECT_API_KEY: `phc_${'a'.repeat(43)}` },
  })
  expect([ran.code, unfolded(ran.stderr)]).toEqual([code, expect.stringMatching(help)])
  // A line that is refused for good is not what to do next.
  if (code === 2) expect(ran.stderr).not.toContain(`then: posthaul ${argv[0]}`)
})

test('-v asks for the version', async () => {
  expect((await runCommand(['-v'])).stdout).toBe((await runCommand(['--version'])).stdout)
})
