import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { companies, groupsAnswer, noScope, notFound, queryAnswer } from '../helpers/groups-answers.ts'
import { kills } from '../helpers/kills.ts'
import { oddServer } from '../helpers/odd-server.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const KILLS = kills({ few: 2, many: 4 })
const GROUPS = companies(900)

/** The dataset's files and their bytes, without the manifest, which has the time in it. */
function partsOf(folder: string): Array<[name: string, text: string]> {
  return readdirSync(folder)
    .filter((name) => name !== 'manifest.json')
    .sort()
    .map((name) => [name, readFileSync(join(folder, name), 'utf8')])
}

test.each(['rest', 'query'])(
  'an export of groups that is killed anywhere ends as if it never was, by %s',
  async (via) => {
    const random = seeded(seedOf(`kill groups export by ${via}`))
    let onRequest = () => {}
    const server = await oddServer((asked, url) => {
      onRequest()
      if (via === 'rest' && asked.path.endsWith('/query/')) return noScope('query:read')
      return groupsAnswer(GROUPS, asked, url) ?? queryAnswer(GROUPS, asked) ?? notFound('Not found.')
    })
    onTestFinished(() => server.close())
    const folder = testFolder()
    const env = { POSTHOG_HOST: server.url, POSTHOG_PERSONAL_API_KEY: 'phx_test', POSTHOG_PROJECT_ID: '1' }
    const argv = (out: string) => ['groups', 'export', '--type', '0', '--out', join(folder, out)]
    await exits(0, runHosted(argv('whole'), env))

    for (let killed = 0; killed < KILLS; ) {
      const cli = startCli(argv('out'), env)
      let timer: NodeJS.Timeout | undefined
      const kill = () => cli.kill('SIGKILL')
      // After a few pages, or somewhere in what comes after the last.
      let left = 1 + Math.floor(random() * 8)
      const moment = random() * 60
      onRequest = () => {
        if (--left === 0) timer = setTimeout(kill, moment)
      }
      const { signal, code, stderr } = await cli.ended
      clearTimeout(timer)
      onRequest = () => {}
      if (signal === 'SIGKILL') killed++
      else expect(code, stderr).toBe(0)
    }
    await exits(0, runHosted(argv('out'), env))
    expect(partsOf(join(folder, 'out'))).toEqual(partsOf(join(folder, 'whole')))
  },
)
