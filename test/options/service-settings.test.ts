import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { API_ROWS, apiSettings, INGEST_ROWS, ingestSettings } from '../../src/options/service-settings.ts'
import { type Given, optionsOf } from '../helpers/options.ts'

const nobody = Readable.from([])
const KEYS = { POSTHOG_PROJECT_API_KEY: 'phc_testkey', POSTHOG_PERSONAL_API_KEY: 'phx_testkey' }
const ingest = async (env: Record<string, string>, more: Given = {}) =>
  ingestSettings(await optionsOf(INGEST_ROWS, { env: { ...KEYS, ...env }, ...more }), nobody)
const api = async (env: Record<string, string>, more: Given = {}) =>
  apiSettings(await optionsOf(API_ROWS, { env: { ...KEYS, ...env }, ...more }), nobody)

describe('where events go', () => {
  test.each([
    [{ POSTHOG_REGION: 'us' }, 'https://us.i.posthog.com'],
    [{ POSTHOG_REGION: 'eu' }, 'https://eu.i.posthog.com'],
    [{ POSTHOG_HOST: 'https://eu.posthog.com' }, 'https://eu.i.posthog.com'],
    [{ POSTHOG_HOST: 'https://app.posthog.com/' }, 'https://us.i.posthog.com'],
    [{ POSTHOG_HOST: 'https://ph.example.com' }, 'https://ph.example.com'],
    [{ POSTHOG_HOST: 'ph.example.com' }, 'https://ph.example.com'],
    [{ POSTHOG_HOST: 'http://127.0.0.1:8123' }, 'http://127.0.0.1:8123'],
    [{ POSTHOG_HOST: 'http://[::1]:8123' }, 'http://[::1]:8123'],
    [
      { POSTHOG_HOST: 'https://ph.example.com', POSTHOG_INGEST_HOST: 'https://in.example.com' },
      'https://in.example.com',
    ],
    [{ POSTHOG_REGION: 'eu', POSTHOG_INGEST_HOST: 'https://in.example.com' }, 'https://in.example.com'],
  ])('%j', async (env, origin) => expect((await ingest(env)).origin.value).toBe(origin))

  test('a flag beats the environment, region and host alike', async () => {
    const { origin } = await ingest({ POSTHOG_HOST: 'https://ph.example.com' }, { argv: ['--region', 'eu'] })
    expect(origin).toMatchObject({ value: 'https://eu.i.posthog.com', from: '--region' })
  })

  test.each([
    [{}, 'no address: say where the events go'],
    [{ POSTHOG_REGION: 'asia' }, 'POSTHOG_REGION is "asia": expected us or eu'],
    [{ POSTHOG_HOST: 'http://ph.example.com' }, 'keys would travel in the clear'],
    [{ POSTHOG_HOST: 'http://127.0.0.1.example.com' }, 'keys would travel in the clear'],
    [{ POSTHOG_HOST: 'http://localhost.example.com' }, 'keys would travel in the clear'],
    [{ POSTHOG_HOST: 'ftp://127.0.0.1' }, 'POSTHOG_HOST is ftp://127.0.0.1'],
    [{ POSTHOG_HOST: 'https://' }, 'POSTHOG_HOST is not an address'],
    [{ POSTHOG_HOST: 'https://ph.example.com/batch' }, 'POSTHOG_HOST has a path'],
    [
      { POSTHOG_HOST: 'https://eu.posthog.com', POSTHOG_REGION: 'us' },
      'POSTHOG_HOST is https://eu.posthog.com, but POSTHOG_REGION says us',
    ],
  ])('%j is refused', async (env, message) =>
    expect(ingest(env)).rejects.toMatchObject({ code: 'config', message: expect.stringContaining(message) }),
  )

  test('a password in an address is refused and not repeated', async () => {
    const error = await ingest({ POSTHOG_HOST: 'https://me:hunter2@ph.example.com' }).catch((e: Error) => e)
    expect(String((error as Error).stack)).toContain('user name or password')
    expect(String((error as Error).stack)).not.toContain('hunter2')
  })
})

describe('keys', () => {
  const [project, personal] = ['POSTHOG_PROJECT_API_KEY', 'POSTHOG_PERSONAL_API_KEY']
  test.each([
    [project, 'phx_oops', ingest, "is a personal key (phx_); sending needs the project's"],
    [project, 'phs_oops', ingest, "is a project secret key (phs_); sending needs the project's"],
    [project, `phc_${'a'.repeat(61)}`, ingest, 'over 64 characters'],
    [personal, 'phc_oops', api, 'is a project key (phc_); reading needs a personal one'],
    [personal, 'phs_oops', api, 'is a project secret key (phs_); reading needs a personal one'],
  ])('in the wrong place are refused: %s %s', async (name, key, settings, words) =>
    expect(settings({ POSTHOG_REGION: 'us', [name]: key })).rejects.toMatchObject({
      code: 'auth',
      message: expect.toSatisfy(
        (text: string) => text.startsWith(`the key from ${name} is `) && text.includes(words),
      ),
      hint: expect.stringMatching(/ph[cx]_/),
    }),
  )

  test.each([
    [ingest, project],
    [api, personal],
  ])('none at all', async (settings, name) =>
    expect(settings({ POSTHOG_REGION: 'us', [name]: '' })).rejects.toMatchObject({
      code: 'auth',
      hint: expect.stringContaining(name),
    }),
  )
})

describe('the project', () => {
  test('its API is not at the ingestion host', async () => {
    const settings = await api({ POSTHOG_REGION: 'eu', POSTHOG_INGEST_HOST: 'https://in.example.com' })
    expect(settings.origin.value).toBe('https://eu.posthog.com')
    expect(settings.projectId).toBeUndefined()
  })

  test('its id comes from the file too', async () => {
    const { projectId } = await api({ POSTHOG_REGION: 'us' }, { config: { projectId: 7 } })
    expect(projectId).toMatchObject({
      value: '7',
      from: expect.stringMatching(/^projectId in .*mine\.json$/),
    })
  })

  test.each(['phc_pasted', 'phx_pasted'])('a key in the place of its id is not repeated', async (key) => {
    const error = await api({ POSTHOG_REGION: 'us', POSTHOG_PROJECT_ID: key }).catch(
      (caught: Error) => caught,
    )
    expect(String((error as Error).stack)).toContain('POSTHOG_PROJECT_ID holds a key')
    expect(String((error as Error).stack)).not.toContain('pasted')
  })

  test.each([
    ['../2', /expected the number that `posthaul projects list` shows$/],
    ['@current', /opened last; expected the number that `posthaul projects list` shows$/],
  ])('an id that is none: %s', async (POSTHOG_PROJECT_ID, message) =>
    expect(api({ POSTHOG_REGION: 'us', POSTHOG_PROJECT_ID })).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(message),
    }),
  )
})
