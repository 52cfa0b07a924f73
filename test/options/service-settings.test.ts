import { Readable } from 'node:stream'
import { describe, expect, test } from 'vitest'
import { resolve, resolveOr, type Sources } from '../../src/options/resolve.ts'
import { apiSettings, ingestSettings } from '../../src/options/service-settings.ts'
import { wholeNumber } from '../../src/options/values.ts'

const nobody = Readable.from([])
const sources = (parts: Partial<Sources>): Sources => ({
  flags: {},
  env: {},
  file: {},
  fileName: 'posthaul.config.json',
  ...parts,
})
const KEYS = { POSTHOG_PROJECT_API_KEY: 'phc_testkey', POSTHOG_PERSONAL_API_KEY: 'phx_testkey' }
const ingest = (env: Record<string, string>, more: Partial<Sources> = {}) =>
  ingestSettings(sources({ env: { ...KEYS, ...env }, ...more }), nobody)
const api = (env: Record<string, string>, more: Partial<Sources> = {}) =>
  apiSettings(sources({ env: { ...KEYS, ...env }, ...more }), nobody)

describe('resolve', () => {
  const lanes = { flag: 'lanes', env: 'LANES', file: 'import.lanes', parse: wholeNumber(1) }
  test.each([
    [{ flags: { lanes: '3' }, env: { LANES: '2' }, file: { import: { lanes: 1 } } }, 3, '--lanes'],
    [{ env: { LANES: '2' }, file: { import: { lanes: 1 } } }, 2, 'LANES'],
    [{ env: { LANES: '' }, file: { import: { lanes: 1 } } }, 1, 'import.lanes in posthaul.config.json'],
    [{}, 7, 'the default'],
  ])('%j', (parts, value, from) => expect(resolveOr(lanes, sources(parts), 7)).toMatchObject({ value, from }))

  test('a bad value names where it came from', () => {
    expect(() => resolve(lanes, sources({ env: { LANES: 'many' } }))).toThrow(
      'LANES is "many": expected a whole number from 1 on',
    )
    expect(() => resolve({ ...lanes, flag: 'maxLanes' }, sources({ flags: { maxLanes: '0' } }))).toThrow(
      '--max-lanes is "0"',
    )
  })
})

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
    const { origin } = await ingest({ POSTHOG_HOST: 'https://ph.example.com' }, { flags: { region: 'eu' } })
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
  test('a personal key where the project key belongs', async () =>
    expect(ingest({ POSTHOG_REGION: 'us', POSTHOG_PROJECT_API_KEY: 'phx_oops' })).rejects.toMatchObject({
      code: 'auth',
      message: "the key from POSTHOG_PROJECT_API_KEY is a personal key (phx_); sending needs the project's",
      hint: expect.stringContaining('phc_'),
    }))

  test('a project key where the personal one belongs', async () =>
    expect(api({ POSTHOG_REGION: 'us', POSTHOG_PERSONAL_API_KEY: 'phc_oops' })).rejects.toMatchObject({
      code: 'auth',
    }))

  test.each([
    [ingestSettings, 'POSTHOG_PROJECT_API_KEY'],
    [apiSettings, 'POSTHOG_PERSONAL_API_KEY'],
  ])('none at all', async (settings, name) =>
    expect(settings(sources({ env: { POSTHOG_REGION: 'us' } }), nobody)).rejects.toMatchObject({
      code: 'auth',
      hint: expect.stringContaining(name),
    }),
  )

  test('one too long', async () =>
    expect(
      ingest({ POSTHOG_REGION: 'us', POSTHOG_PROJECT_API_KEY: `phc_${'a'.repeat(61)}` }),
    ).rejects.toThrow('longer than any project key'))
})

describe('the project', () => {
  test('its API is not at the ingestion host', async () => {
    const settings = await api({ POSTHOG_REGION: 'eu', POSTHOG_INGEST_HOST: 'https://in.example.com' })
    expect(settings.origin.value).toBe('https://eu.posthog.com')
    expect(settings.projectId).toBeUndefined()
  })

  test('its id comes from the file too', async () => {
    const { projectId } = await api({ POSTHOG_REGION: 'us' }, { file: { projectId: 7 } })
    expect(projectId).toMatchObject({ value: '7', from: 'projectId in posthaul.config.json' })
  })

  test('an id that is none', async () =>
    expect(api({ POSTHOG_REGION: 'us', POSTHOG_PROJECT_ID: '../2' })).rejects.toThrow(
      'posthaul projects list',
    ))
})
