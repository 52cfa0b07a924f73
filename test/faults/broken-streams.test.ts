import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'
import { stateHome } from '../helpers/state-home.ts'

const BIN = fileURLToPath(new URL('../../bin/posthaul.js', import.meta.url))
const FAST =
  `--accept project_unasked --approved --max-events-per-minute 1000000 --retry-for 1s --json`.split(/\s+/)

const sandbox = await fileSandbox()

/** `gone`: a pipe whose reader closes it at once. `full`: /dev/full. */
type Stream = 'gone' | 'full'

async function run(
  argv: readonly string[],
  cwd: string,
  streams: { readonly stdout?: Stream; readonly stderr?: Stream },
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const stdio = [streams.stdout, streams.stderr].map((stream) =>
    stream === 'full' ? openSync('/dev/full', 'w') : 'pipe',
  )
  const child = spawn(process.execPath, [BIN, ...argv], {
    cwd,
    stdio: ['ignore', ...stdio],
    env: { PATH: process.env.PATH ?? '', ...stateHome(), ...sandboxEnv(sandbox), ...env },
  })
  const out = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    if (streams[name] === 'gone') child[name]?.destroy()
    else
      child[name]?.on('data', (chunk: Buffer) => {
        out[name] += chunk.toString()
      })
  }
  const [code] = await once(child, 'close')
  return { code, ...out }
}

function folderWith(...lines: readonly string[]): string {
  const folder = testFolder()
  writeFileSync(join(folder, 'events.ndjson'), lines.map((line) => `${line}\n`).join(''))
  return folder
}

const good = (n: number) => eventLine(makeEvent(n))
const IMPORT = ['import', '--file', 'events.ndjson', ...FAST]
const NO_SERVER = { POSTHOG_INGEST_HOST: 'http://127.0.0.1:9' }

test.each<[string, string[], Record<string, string>, number]>([
  ['done', [good(1), good(2)], {}, 0],
  ['made rejects', [good(1), '{"event":"nobody"}'], {}, 3],
  ['can not reach the service', [good(1)], NO_SERVER, 5],
])(
  'an import that %s says so when nobody reads its stdout, and leaves no lock',
  async (_, lines, env, code) => {
    const folder = folderWith(...lines)
    expect((await run(IMPORT, folder, { stdout: 'gone' }, env)).code).toBe(code)
    expect(existsSync(join(folder, 'events.ndjson.checkpoint.json'))).toBe(true)
    expect(readdirSync(folder).filter((name) => name.endsWith('.lock'))).toEqual([])
  },
)

test('verify still says by its exit code that events are missing', async () => {
  const argv = ['verify', '--file', 'events.ndjson']
  await exits(3, run(argv, folderWith(good(5001)), { stdout: 'gone' }))
})

test('output that could not be written is said, and not taken for a whole one', async () => {
  const folder = folderWith(good(3))
  const { code, stderr } = await run(IMPORT, folder, { stdout: 'full' })
  expect(stderr).toMatch(/cannot write to stdout: the disk is full/)
  expect(code).toBe(5)
  const again = await runHosted(IMPORT, sandboxEnv(sandbox), folder)
  expect([again.code, JSON.parse(again.stdout).counts.written]).toEqual([0, 1])
  // The run's own code is the stronger one.
  await exits(2, run(['import', '--file', 'none', ...FAST], folder, { stdout: 'full' }))
})

test.each(['gone', 'full'] as const)('stderr that is %s changes nothing', async (stderr) => {
  const { code, stdout } = await run(IMPORT, folderWith(good(4)), { stderr })
  expect([code, JSON.parse(stdout).counts.written]).toEqual([0, 1])
})

test('a reader that takes nothing more does not hold a command that was told to stop', async () => {
  const created_at = '2024-01-01T00:00:00Z'
  const group_properties = { name: 'x'.repeat(1_000_000) }
  const results = [{ group_type_index: 0, group_key: 'k', created_at, group_properties }]
  const server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const types = [{ group_type: 'company', group_type_index: 0 }]
    response.end(JSON.stringify(request.url?.includes('groups_types') ? types : { next: null, results }))
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const child = spawn(process.execPath, [BIN, 'groups', 'list', '--type', '0'], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: {
      PATH: process.env.PATH ?? '',
      ...stateHome(),
      POSTHOG_HOST: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      POSTHOG_PERSONAL_API_KEY: 'phx_test',
      POSTHOG_PROJECT_ID: '1',
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  // The first bytes are there, and nobody takes the rest.
  await once(child.stdout, 'readable')
  child.kill('SIGTERM')
  expect(await ended).toEqual([null, 'SIGTERM'])
})
