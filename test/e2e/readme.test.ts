import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeHistory } from '../../src/demo/history.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { runCli } from '../helpers/cli-process.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'

const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8')

/** The command lines of the README, without their environment and what cron or npx put before them. */
const lines = README.replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line.startsWith('    '))
  .flatMap((line) => /(?:^|\s)(?:posthaul|npx tool) (.*)$/.exec(line)?.[1] ?? [])
  .map((line) => line.trim().split(/\s+/))

/** Those that need a vendor's account, a terminal or an hour. */
const ELSEWHERE = ['export', 'sandbox', 'demo']
const walk = lines.filter((words) => !ELSEWHERE.includes(words[0]!) && !words.includes('/data/events'))

/** The members that the README's table has for a command with --json; what stands in brackets is within another. */
function membersOf(command: string): string[] {
  const row = README.split('\n').find(
    (line) => line.startsWith(`| \`${command}\` | `) && line.includes('`, `'),
  )
  const cell = row!.split(' | ')[1]!.replaceAll(/\([^)]*\)/g, '')
  return [...cell.matchAll(/`([a-z_]+)`/g)].map(([, name]) => name!)
}

const GROUPS = ['acme', 'globex'].map((key) =>
  JSON.stringify({
    event: '$group_identify',
    distinct_id: `$organization_${key}`,
    timestamp: '2024-03-01T00:00:00Z',
    properties: { $group_type: 'organization', $group_key: key, $group_set: { industry: 'retail' } },
  }),
)

describe('the README', () => {
  let sandbox: Sandbox
  let folder: string
  let env: Record<string, string>

  beforeAll(async () => {
    sandbox = await startSandbox()
    folder = mkdtempSync(join(tmpdir(), 'posthaul-readme-'))
    mkdirSync(join(folder, 'raw'))
    writeFileSync(join(folder, 'raw', 'history.ndjson'), `${makeHistory(200, 3).join('\n')}\n`)
    writeFileSync(join(folder, 'events.ndjson'), `${GROUPS.join('\n')}\n`)
    env = sandboxEnv(sandbox)
  })

  afterAll(async () => {
    await sandbox.close()
    rmSync(folder, { recursive: true, force: true })
  })

  test('has the commands it is expected to have', () => {
    expect(new Set(lines.map((words) => words[0]))).toEqual(
      new Set(['demo', 'export', 'transform', 'check', 'import', 'status', 'verify', 'groups']),
    )
  })

  test.each(lines.map((words) => [words.join(' '), words] as const))(
    '%s: its options exist',
    async (_, words) => {
      const names = words.slice(0, words.findIndex((word) => word.startsWith('-')) >>> 0)
      const path = ['groups', 'export'].includes(words[0]!) ? names.slice(0, 2) : names.slice(0, 1)
      const { stdout } = await runCli([...path, '--help'])
      for (const flag of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(flag)
    },
  )

  test('can be followed from top to bottom', async () => {
    for (const words of walk) {
      const { code, stderr } = await runCli(words, env, folder)
      // The history has broken lines: "done, with rejects" is what its transform says.
      const expected = words[0] === 'transform' ? [0, 3] : [0]
      expect(expected, `posthaul ${words.join(' ')}\n${stderr}`).toContain(code)
    }
  })

  test('every member of a summary is there, whether it applies or not', async () => {
    const source = {
      POSTHOG_SOURCE_HOST: sandbox.url,
      POSTHOG_SOURCE_PROJECT_ID: String(sandbox.projectId),
      POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
    }
    for (const line of [
      'export posthog --from 2024-03-01 --to 2024-03-02 --out exported/ --dry-run',
      'export posthog --from 2024-03-01 --to 2024-03-02 --out exported/',
      'transform --preset mixpanel --in raw/ --out json/ --dry-run',
      'transform --preset mixpanel --in raw/ --out json/',
      'import --dataset json/ --dry-run',
      'import --dataset json/',
      'import --file events.ndjson --max-events 1 --checkpoint stopped.json',
      'status --dataset json/',
      'check json/',
      'verify json/',
      'groups export --all-types --out moved/',
    ]) {
      const words = line.split(' ')
      const { stdout, stderr } = await runCli([...words, '--json'], { ...env, ...source }, folder)
      const command = words[0] === 'groups' ? 'groups export' : words[0]!
      const members = membersOf(command)
      expect(members.length).toBeGreaterThan(3)
      const summary = JSON.parse(stdout)
      expect(Object.keys(summary), `${line}\n${stderr}`).toEqual(
        expect.arrayContaining(['version', 'command', ...members]),
      )
      expect(summary.command).toBe(command)
      expect(String(summary.seconds ?? 0)).toMatch(/^\d+(\.\d{1,3})?$/)
    }
  })
})
