import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import {
  describeProject,
  heldIn,
  type ProjectSizes,
  projectApi,
  sendHistory,
} from '../helpers/around-project.ts'
import { type CliProcess, startCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { seedOf } from '../helpers/seed.ts'

const KILLS = kills({ few: 3, many: 20 })
const FEW: ProjectSizes = {
  events: 20,
  properties: 10,
  annotations: 8,
  cohorts: [1, 300, 20],
  reports: 12,
  dashboards: 3,
}
const WHOLE: ProjectSizes = {
  events: 300,
  properties: 900,
  annotations: 60,
  cohorts: [1, 2, 5, 10, 30, 100, 300, 1000, 3000, 8000, 20_000, 40_000],
  reports: 80,
  dashboards: 9,
}
const SIZES = KILLS > 10 ? WHOLE : FEW
// A run that has not ended after so many tries never will.
const MOST_RUNS = 100

/** Stands before a sandbox, and says of each request that it came, and that its answer is about to go. */
async function watched(sandbox: Sandbox, on: (at: 'came' | 'done') => void): Promise<string> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    on('came')
    const { authorization = '', 'content-type': type } = request.headers
    const answer = await fetch(`${sandbox.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: { authorization, ...(type && { 'content-type': type }) },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
    })
    const body = (await answer.text()).replaceAll(sandbox.url, url)
    on('done')
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' })
    response.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return url
}

test('what lies around the events arrives once, whenever a pull or a push is killed', async () => {
  const random = seeded(seedOf('kill around'))
  const [source, target] = [await startSandbox(), await startSandbox()]
  onTestFinished(() => source.close())
  onTestFinished(() => target.close())
  await Promise.all([sendHistory(source, SIZES), sendHistory(target, SIZES)])
  await describeProject(source, SIZES, random)

  let child: CliProcess | undefined
  let left = 0
  let at: 'came' | 'done' = 'came'
  let killed = 0
  const on = (now: 'came' | 'done') => {
    if (now !== at || --left !== 0) return
    child?.kill('SIGKILL')
    killed++
  }
  const [from, to] = [await watched(source, on), await watched(target, on)]
  const folder = join(testFolder(), 'around')
  const env = {
    ...sandboxEnv(target),
    POSTHOG_HOST: to,
    POSTHOG_SOURCE_HOST: from,
    POSTHOG_SOURCE_API_KEY: source.personalKey,
    POSTHOG_SOURCE_PROJECT_ID: '1',
  }
  /** Runs a command until it ends by itself, and kills it `wanted` times before: after a number of requests, before or after one is answered. */
  const underKills = async (argv: readonly string[], wanted: number, span: number) => {
    const until = killed + wanted
    for (let runs = 0; runs < MOST_RUNS; runs++) {
      left = killed < until ? 1 + Math.floor(random() * span) : 0
      at = random() < 0.5 ? 'came' : 'done'
      child = startCli([...argv, '--json'], env)
      const { code, signal, stdout, stderr } = await child.ended
      if (signal === 'SIGKILL') continue
      if (code !== 0 && code !== 3) throw new Error(stderr)
      if (killed >= until || left > 0) return JSON.parse(stdout)
    }
    throw new Error(`it did not end in ${MOST_RUNS} runs`)
  }
  await underKills(['around', 'pull', 'posthog', '--out', folder], Math.ceil(KILLS / 3), 15)
  await underKills(['around', 'push', folder], KILLS - Math.ceil(KILLS / 3), SIZES === WHOLE ? 100 : 25)
  expect(killed).toBe(KILLS)
  left = 0
  const second = await underKills(['around', 'push', folder], 0, 1)
  expect([second.made, second.changed, second.members.sent]).toEqual([0, 0, 0])

  const again = join(testFolder(), 'again')
  const back = { POSTHOG_SOURCE_HOST: to, POSTHOG_SOURCE_API_KEY: target.personalKey }
  const pulled = await startCli(['around', 'pull', 'posthog', '--out', again], { ...env, ...back }).ended
  expect(pulled.code).toBe(0)
  const [here, there] = [await heldIn(folder), await heldIn(again)]
  for (const kind of ['events', 'annotations', 'cohorts', 'dashboards'] as const)
    expect(there[kind]).toEqual(here[kind])
  expect(there.reports).toEqual(here.reports.filter((row) => !row.includes('PathsQuery')))

  // What each push noted is enough to take all of it back.
  const undone = await underKills(['around', 'push', folder, '--undo'], 0, 1)
  expect(undone.undone.kept).toBe(0)
  const api = projectApi(target)
  for (const kind of ['annotations', 'cohorts', 'insights', 'dashboards'])
    expect((await api('GET', `${kind}/`)).count).toBe(0)
})
