import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, test } from 'vitest'
import { testFolder } from '../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../helpers/sandbox-env.ts'

const BIN = fileURLToPath(new URL('../../bin/posthaul.js', import.meta.url))

const sandbox = await fileSandbox()
const env = sandboxEnv(sandbox)
beforeAll(async () => {
  const properties = { $group_type: 'company', $group_key: 'acme', $group_set: { name: 'Acme' } }
  const batch = [{ event: '$groupidentify', distinct_id: 'acme', properties }]
  const body = JSON.stringify({ api_key: sandbox.projectKey, batch })
  expect((await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })).status).toBe(200)
})

/** Runs the command line under the umask that most systems have, up to its end or `until` on its stdout. */
async function run(cwd: string, argv: readonly string[], until?: RegExp): Promise<number | null> {
  const child = spawn('sh', ['-c', 'umask 022; exec "$@"', 'sh', process.execPath, BIN, ...argv], {
    cwd,
    env: { PATH: process.env.PATH ?? '', TMPDIR: cwd, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  let text = ''
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk
    if (until?.test(text)) child.kill('SIGTERM')
  })
  const [code] = await once(child, 'close')
  return code
}

/** The modes of all files and folders below `folder`, each with one name that has it. */
function modesIn(folder: string): { files: string[]; folders: string[] } {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name !== 'given' && !name.startsWith('given/'),
  )
  const of = (folders: boolean) => {
    const stats = names
      .map((name) => statSync(join(folder, name)))
      .filter((stat) => stat.isDirectory() === folders)
    return [...new Set(stats.map(({ mode }) => (mode & 0o777).toString(8)))]
  }
  return { files: of(false), folders: of(true) }
}

/** A folder with records, a few of them broken, that the user made. */
function given(): string {
  const folder = testFolder()
  mkdirSync(join(folder, 'given'))
  const lines = Array.from({ length: 200 }, (_, n) =>
    JSON.stringify({
      event: 'seen',
      properties: {
        distinct_id: n % 3 ? `u${n % 40}` : '',
        $device_id: `d${n % 40}`,
        $user_id: `u${n % 40}`,
        time: 1709251200 + n * 60,
        $insert_id: `i${n}`,
      },
    }),
  )
  writeFileSync(join(folder, 'given', 'raw.ndjson'), [...lines, 'bad', ''].join('\n'))
  return folder
}

const TRANSFORM = ['transform', '--preset', 'mixpanel', '--in', 'given/raw.ndjson', '--out', 'out/events']
const IMPORT = [
  ...['import', '--dataset', 'out/events', '--checkpoint', 'out/state.checkpoint.json'],
  ...['--accept', 'sent_before'],
]

test('what is written can be read by only its owner, and a folder that is there already keeps its mode', async () => {
  const at = given()
  const out = join(at, 'out')
  mkdirSync(out)
  chmodSync(out, 0o755)
  expect(await run(at, TRANSFORM)).toBe(3)
  expect((statSync(out).mode & 0o777).toString(8)).toBe('755')
  chmodSync(out, 0o700)
  expect(modesIn(at)).toEqual({ files: ['600'], folders: ['700'] })
  expect(await run(at, IMPORT)).toBe(0)
  expect(readdirSync(out)).toContain('state.checkpoint.json')
  const all = ['groups', 'export', '--all-types', '--out', 'out/groups']
  expect(await run(at, all)).toBe(0)
  expect(modesIn(at)).toEqual({ files: ['600'], folders: ['700'] })
})

test('work files, and the rejects of an import, are private too', async () => {
  const at = given()
  // The transform is stopped while it works; what it leaves is for the next run.
  expect(await run(at, [...TRANSFORM, '--workers', '1', '--max-reject-ratio', '0'])).not.toBe(0)
  const rejects = ['--checkpoint', 'state.json', '--accept', 'all_rejected']
  expect(await run(at, ['import', '--file', 'given/raw.ndjson', ...rejects])).toBe(3)
  expect(readdirSync(at)).toContain('state.rejects.ndjson')
  expect(modesIn(at).files).toEqual(['600'])
})

test('the sandbox keeps what it is sent private', async () => {
  const at = given()
  expect(await run(at, ['sandbox', '--port', '0', '--data', 'kept'], /listening/)).toBe(0)
  expect(readdirSync(join(at, 'kept')).length).toBeGreaterThan(1)
  expect(modesIn(at)).toEqual({ files: ['600'], folders: ['700'] })
})
