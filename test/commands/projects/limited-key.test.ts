import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'
import { fileSandbox, sandboxEnv } from '../../helpers/sandbox-env.ts'
import { withoutLog } from '../../helpers/screen.ts'

// A personal key that is limited to its project, as PostHog recommends, and no POSTHOG_PROJECT_ID.

const sandbox = await fileSandbox({ projectId: 7, keyProjects: [7] })
const { POSTHOG_PROJECT_ID: _, ...env } = sandboxEnv(sandbox)

test('projects list shows its project', async () => {
  const ran = await runCommand(['projects', 'list', '--format', 'ndjson'], { env })
  expect([ran.code, ran.stdout]).toEqual([0, '{"id":7,"name":"Sandbox"}\n'])
})

test('import finds whose the project key is, and sends', async () => {
  const file = join(testFolder(), 'events.ndjson')
  const event = { event: 'a', distinct_id: 'u', timestamp: '2024-03-01T00:00:00Z', properties: {} }
  writeFileSync(file, `${JSON.stringify({ uuid: '018d5f3e-0000-7000-8000-000000000001', ...event })}\n`)
  const given = ['import', '--file', file, '--state', testFolder(), '--json']
  const other = { ...env, POSTHOG_PROJECT_API_KEY: `${sandbox.projectKey.slice(0, 12)}_of_another` }
  const refused = await runCommand(given, { env: other })
  expect(refused.code).toBe(3)
  expect(refused.stderr + refused.stdout).toContain('is not that of project 7 (Sandbox)')
  expect(await sandbox.query('SELECT count() FROM events')).toMatchObject({ results: [[0]] })
  const ran = await runCommand(given, { env })
  expect(ran.code).toBe(0)
  expect(await sandbox.query('SELECT count() FROM events')).toMatchObject({ results: [[1]] })
})

test('groups read it', async () => {
  const ran = await runCommand(['groups', 'types'], { env })
  expect([ran.code, withoutLog(ran.stderr)]).toEqual([0, 'posthaul: this project has no group types\n'])
})
