import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mayPass } from '../../../src/checks/finding.ts'
import { preflight } from '../../../src/checks/preflight/preflight.ts'
import type { Subject } from '../../../src/checks/preflight/subject.ts'
import { PERSONAL_KEY_FILE, PROJECT_ID } from '../../../src/options/service-rows.ts'
import { INGEST_ROWS } from '../../../src/options/service-settings.ts'
import { testFolder } from '../../helpers/folder.ts'
import { type Asked, oddServer, type Reply } from '../../helpers/odd-server.ts'
import { optionsOf } from '../../helpers/options.ts'
import { fileSandbox, sandboxEnv, testSandbox } from '../../helpers/sandbox-env.ts'
import { EXPIRED_CERTIFICATE, tlsFront } from '../../helpers/tls-front.ts'
import { levelsOf, subject, testTools, wordsOf } from './tools.ts'

const ROWS = [...INGEST_ROWS, PROJECT_ID, PERSONAL_KEY_FILE] as const

const sandbox = await fileSandbox({
  personalKeys: [
    { key: 'phx_narrow', scopes: ['project:read', 'query:read'] },
    { key: 'phx_limited', scopes: ['*'], projects: [1] },
    { key: 'phx_elsewhere_limited', scopes: ['*'], projects: [2, 3] },
    { key: 'phx_blind', scopes: ['query:read', 'group:write'] },
  ],
})

/** What is found with this environment. */
async function findings(env: Record<string, string>, given: Partial<Subject> = {}, tools = testTools()) {
  const service = await optionsOf(ROWS, { env })
  return preflight(subject({ service, sends: true, ...given }), { ...tools, env })
}

const wrong = (found: Awaited<ReturnType<typeof findings>>) =>
  levelsOf(found).filter((level) => !level.startsWith('ok'))

/** Whether what a check found can be over by itself. */
const passes = (found: Awaited<ReturnType<typeof findings>>, check: string) =>
  mayPass(found.filter((finding) => finding.code === check))

test('a project that is exported into itself is an error', async () => {
  const env = {
    ...sandboxEnv(sandbox),
    POSTHOG_SOURCE_HOST: sandbox.url,
    POSTHOG_SOURCE_PROJECT_ID: '1',
    POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
  }
  const found = (id: string) =>
    findings(
      { ...env, POSTHOG_PROJECT_ID: '1', POSTHOG_SOURCE_PROJECT_ID: id },
      { sources: [{ vendor: 'posthog' }] },
    )
  expect(wordsOf(await found('1'), 'vendor')).toContain('is the one that events go to')
  expect(wordsOf(await found('2'), 'vendor')).not.toContain('is the one that events go to')
})

async function odd(reply: (asked: Asked) => Reply) {
  const server = await oddServer(reply)
  onTestFinished(() => server.close())
  return server
}

test('a project that is ready is called by its name', async () => {
  const found = await findings(sandboxEnv(sandbox))
  expect(wrong(found)).toEqual([])
  expect(wordsOf(found, 'project')).toBe('the project key is that of "Sandbox" (1)')
  expect(wordsOf(found, 'clock')).toContain('agrees')
})

test('a scope that is missing is named, with what needs it', async () => {
  const found = await findings({ ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_narrow' })
  expect(wrong(found)).toEqual(['warning scopes', 'error scopes', 'note scopes'])
  const words = wordsOf(found, 'scopes')
  expect(words).toContain('the personal key has project:read, query:read')
  expect(words).toContain(
    "lacks group:read | import, check, verify and groups can't do without: import looks",
  )
  expect(words).toContain('lacks ingestion_warning:read | import and verify')
  expect(words).toContain("lacks data_deletion:write | undo can't do without")
  expect(words).not.toContain('lacks query:read')
})

test('an older server does not say what the key has: each scope is tried', async () => {
  const older = await testSandbox({
    dialect: { currentKey: 'absent' },
    personalKeys: [{ key: 'phx_narrow', scopes: ['project:read', 'query:read'] }],
  })
  expect(wordsOf(await findings(sandboxEnv(older)), 'scopes')).toContain(
    'project:read, query:read, group:read and',
  )
  const found = await findings({ ...sandboxEnv(older), POSTHOG_PERSONAL_API_KEY: 'phx_narrow' })
  expect(wrong(found)).toEqual(['warning scopes', 'error scopes'])
  expect(wordsOf(found, 'scopes')).toContain('lacks the scope group:read')
})

test('a key that is limited to its project is ready without POSTHOG_PROJECT_ID, and one of others is not', async () => {
  const { POSTHOG_PROJECT_ID: _, ...env } = sandboxEnv(sandbox)
  const found = await findings({ ...env, POSTHOG_PERSONAL_API_KEY: 'phx_limited' })
  expect(wrong(found)).toEqual([])
  expect(wordsOf(found, 'personal-key')).toContain(', limited to project 1')
  expect(wordsOf(found, 'scopes')).toBe('the personal key has every scope')
  const other = { ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_elsewhere_limited' }
  const refused = await findings(other)
  expect(wrong(refused)).toEqual(['error scopes', 'note project'])
  expect(wordsOf(refused, 'scopes')).toMatch(
    /not have access to the requested project: ID 1.*limited to 2, 3: set/,
  )
})

test('a key that is limited to organizations says so, and one of others is refused', async () => {
  const own = '00000000-0000-4000-8000-000000000001'
  const keys = (key: string, organization: string) => ({ key, scopes: ['*'], organizations: [organization] })
  const limited = await testSandbox({
    personalKeys: [keys('phx_own', own), keys('phx_other', own.replace(/1$/, '9'))],
  })
  const found = await findings({ ...sandboxEnv(limited), POSTHOG_PERSONAL_API_KEY: 'phx_own' })
  expect(wrong(found)).toEqual([])
  expect(wordsOf(found, 'personal-key')).toContain(`, limited to organization ${own}`)
  const refused = await findings({ ...sandboxEnv(limited), POSTHOG_PERSONAL_API_KEY: 'phx_other' })
  expect(wrong(refused)).toEqual(['error scopes', 'note project'])
  expect(wordsOf(refused, 'scopes')).toMatch(/requested organization: ID .*limited to other organizations/)
})

test('a key that may not see the project is told the other scopes that it lacks, too', async () => {
  const found = await findings({ ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_blind' })
  expect(wrong(found)).toEqual(['error scopes', 'note project', 'warning scopes', 'note scopes'])
  expect(wordsOf(found, 'scopes')).toContain('lacks the scope project:read')
  expect(wordsOf(found, 'scopes')).not.toContain('group:read |')
})

test('the key of another project is told by the name of this one', async () => {
  // The same first letters, which lists of keys show, make no key the same.
  const { projectKey } = sandbox
  for (const key of ['phc_of_another', `${projectKey.slice(0, 12)}${'x'.repeat(projectKey.length - 12)}`]) {
    const found = await findings({ ...sandboxEnv(sandbox), POSTHOG_PROJECT_API_KEY: key })
    expect(wrong(found)).toEqual(['error project'])
    expect(wordsOf(found, 'project')).toContain('not that of "Sandbox" (1)')
  }
})

test('a personal key of another region is told to look at the region', async () => {
  const found = await findings({ ...sandboxEnv(sandbox), POSTHOG_PERSONAL_API_KEY: 'phx_elsewhere' })
  expect(wrong(found)).toEqual(['error personal-key', 'note project'])
  expect(wordsOf(found, 'personal-key')).toContain('check the region too')
  expect(passes(found, 'personal-key')).toBe(false)
})

describe('without settings', () => {
  test('nothing is asked, and each is said: notes for one who sends nothing', async () => {
    const found = await findings({}, { sends: false })
    expect(wrong(found)).toEqual(['note address', 'note project-key', 'note personal-key'])
  })

  test('and errors for one who sends', async () => {
    expect(wrong(await findings({}))).toEqual(['error address', 'error project-key', 'warning personal-key'])
  })
})

test('keys of the wrong kind, and files that others can read, are errors that name them', async () => {
  const file = join(testFolder(), 'key')
  writeFileSync(file, 'phx_mine\n')
  chmodSync(file, 0o644)
  const { POSTHOG_PERSONAL_API_KEY: _, ...env } = sandboxEnv(sandbox)
  const given = { ...env, POSTHOG_PROJECT_API_KEY: 'phx_mine', POSTHOG_PERSONAL_API_KEY_FILE: file }
  const found = await findings(given)
  expect(wrong(found)).toEqual(['error project-key', 'error personal-key'])
  expect(wordsOf(found, 'project-key')).toContain('is a personal key')
  expect(wordsOf(found, 'personal-key')).toContain(`chmod 600 ${file}`)
  expect(JSON.stringify(found)).not.toContain('phx_mine')
})

describe('an address that is not the service', () => {
  test.each<[string, Reply, string]>([
    [
      'a sign-in page',
      { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' },
      'error ingest',
    ],
    ['a redirect', { status: 302, headers: { location: 'https://x.example/?key=1' } }, 'error ingest'],
    ['no /batch/', { status: 404, body: 'not found' }, 'error ingest'],
    ['a refusal', { status: 403, body: 'blocked' }, 'error ingest'],
    ['over its quota', { status: 429, body: 'billing limit reached' }, 'warning ingest'],
    ['down', { status: 503, body: '<html>busy</html>' }, 'warning ingest'],
  ])('%s', async (_, reply, level) => {
    const { url } = await odd(() => reply)
    const env = { POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_API_KEY: 'phc_mine' }
    const found = await findings(env)
    expect(wrong(found)).toEqual([level, 'warning personal-key'].sort((a) => (a === level ? 1 : -1)))
    expect(JSON.stringify(found)).not.toMatch(/phc_mine|key=1/)
  })

  test('no server, and an expired certificate, say so in words', async () => {
    const front = await tlsFront(1, EXPIRED_CERTIFICATE)
    onTestFinished(() => front.close())
    const expired = await findings({ POSTHOG_INGEST_HOST: `https://localhost:${front.port}` })
    expect(wordsOf(expired, 'ingest')).toMatch(/the secure connection failed/)
    const nobody = await findings({ POSTHOG_INGEST_HOST: 'http://127.0.0.1:1' })
    expect(wordsOf(nobody, 'ingest')).toContain("can't be reached")
    expect(levelsOf(nobody)).toContain('note clock')
    expect([passes(expired, 'ingest'), passes(nobody, 'ingest')]).toEqual([false, true])
  })

  test('without Capture V1 --via v1 is an error', async () => {
    const { url } = await odd(({ path }) => ({ status: path === '/batch/' ? 400 : 404, body: 'no' }))
    const env = { POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_API_KEY: 'phc_mine' }
    expect(wrong(await findings(env, { via: 'v1' }))).toContain('error ingest')
  })
})

test('a silent server is waited for no longer than the tools say', async () => {
  const server = await odd(() => ({ status: 503, headers: { 'retry-after': '3600' }, body: {} }))
  const env = { POSTHOG_HOST: server.url, POSTHOG_PERSONAL_API_KEY: 'phx_mine' }
  const found = await findings(env, {}, testTools({ patienceMs: 300 }))
  expect(wordsOf(found, 'api')).toContain('does not answer (the service asked for it)')
  expect(passes(found, 'api')).toBe(true)
})
