import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { testFolder } from '../helpers/folder.ts'
import { unfolded } from '../helpers/unfolded.ts'

const ADDRESS = { POSTHOG_HOST: 'http://127.0.0.1:9', POSTHOG_PROJECT_API_KEY: `phc_${'a'.repeat(43)}` }
const NO_ADDRESS = {}

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
  ['help export mixpannel', 2, /unknown command 'mixpannel' did you mean mixpanel\?/],
  ['help mappings', 2, /did you mean posthaul help mapping\?/],
  ['mixpanel', 2, /posthaul transform --preset mixpanel reads its files/],
  ['transform --in raw', 2, /no place for the events was named/],
  ['transform --preset events --in c.ndjson --out a.ndjson', 2, /is a file, and no dataset/],
  ['check nothere', 2, /is no dataset: it is empty, or not there check the path/],
  ['check .', 2, /has no manifest.json .*transform makes a dataset of records/],
  ['import --dataset nothere', 2, /is no dataset/, NO_ADDRESS],
  ['import --file nothere', 2, /nothere is not there/, NO_ADDRESS],
  ['import --file a.ndjson', 2, /no address: say where the events go/, NO_ADDRESS],
  ['status m.yaml', 2, /status --state <its store>\/state shows all imports/],
  ['undo', 2, /no dataset was named/, NO_ADDRESS],
  ['undo nothere', 2, /is no dataset/, NO_ADDRESS],
  ['undo --file nothere', 2, /nothere is not there/, NO_ADDRESS],
  ['export command --out raw -- ls', 2, /did you mean --from ls, or --run ls\?/],
  ['studio a.ndjson', 2, /did you mean --in \S*a.ndjson\?/],
  ['init a.ndjson --out .', 2, /is a folder name a file: --out/],
  ['run --init m.yaml', 2, /add --source <name>: .*\(mixpanel, /],
  ['completion powershell', 2, /shell is "powershell": expected bash, zsh, fish/],
  ['sandbox --fault flood:1', 2, /lists all, such as 429/],
  ['help transfrom', 2, /unknown command 'transfrom' did you mean transform\?/],
] as const)('%s', async (line, code, help, env = ADDRESS) => {
  const folder = testFolder()
  for (const name of ['a.ndjson', 'c.ndjson'])
    writeFileSync(join(folder, name), `${eventLine(makeEvent(0))}\n`)
  const argv = line.split(' ').map((word) => (/ndjson$|^raw$/.test(word) ? join(folder, word) : word))
  const ran = await runCommand(argv, { env })
  expect([ran.code, unfolded(ran.stderr)]).toEqual([code, expect.stringMatching(help)])
  // A line that is refused for good is not what to do next.
  if (code === 2) expect(ran.stderr).not.toContain(`then: posthaul ${argv[0]}`)
})

test('-v asks for the version', async () => {
  expect((await runCommand(['-v'])).stdout).toBe((await runCommand(['--version'])).stdout)
})
