import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { PosthaulError } from '../../src/errors.ts'
import {
  refuseKeysInArguments,
  refuseKeysInConfig,
  refuseKeysInVariables,
  SECRET_VARIABLES,
} from '../../src/options/stray-keys.ts'

const LONG = `phx_${'aB3'.repeat(14)}`
const SECRETS = {
  MIXPANEL_SERVICE_SECRET: 'b1946ac92492d2347c6235b4d2611184',
  AMPLITUDE_SECRET_KEY: 'short-one',
}

const isSwitch = (word: string) => word === '--json'

/** The error of `refuse`, which must hold none of the secrets. */
function refusal(refuse: () => void): PosthaulError | undefined {
  try {
    refuse()
    return undefined
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    const { message, hint, stack, lines } = error
    for (const secret of ['short', LONG, ...Object.values(SECRETS)])
      expect(JSON.stringify([message, hint, stack, lines])).not.toContain(secret)
    return error
  }
}

describe('an argument', () => {
  test.each([
    [['import', '--project-id', 'phx_short'], '--project-id holds a key'],
    [['import', '--project-id=phx_short'], '--project-id holds a key'],
    [['import', '--key', 'phc_short'], '--key holds a key'],
    [['import', '--phc_short'], 'an argument holds a key'],
    [['phs_short'], 'an argument holds a key'],
    [['import', '--json', 'phc_short'], 'an argument holds a key'],
    [['import', '--host', 'https://phc_short.example'], '--host holds a key'],
    [['import', '--host', 'https://phx_short@example.com'], '--host holds a key'],
    [['import', '--host', 'https://user:phx_short@example.com'], '--host holds a key'],
    [['import', '--file', '"phc_short"'], '--file holds a key'],
    [['import', '--file', `data/${LONG}/events.ndjson`], '--file holds a key'],
    [['import', 'POSTHOG_PROJECT_API_KEY=phc_short'], 'an argument holds a key'],
    [
      ['export', '--event', SECRETS.MIXPANEL_SERVICE_SECRET],
      '--event holds the value of MIXPANEL_SERVICE_SECRET',
    ],
    [
      ['export', '--out', `x/${SECRETS.MIXPANEL_SERVICE_SECRET}/`],
      '--out holds the value of MIXPANEL_SERVICE_SECRET',
    ],
    [['export', '--event', SECRETS.AMPLITUDE_SECRET_KEY], '--event holds the value of AMPLITUDE_SECRET_KEY'],
    [['sandbox', '--data', 'phc_short'], '--data holds a key'],
  ])('%j is refused', (argv, message) => {
    const error = refusal(() => refuseKeysInArguments(argv, SECRETS, isSwitch))
    expect(error).toMatchObject({ code: 'usage', message: expect.stringContaining(message) })
  })

  test.each([
    [['import', '--file', './phc_notes.ndjson']],
    [['import', '--file', 'exports/phc_team/events.ndjson']],
    [['transform', '--in', 'graphs_of_the_first_quarter_2024', '--out', 'alphs_abcdefghijklmnopqrstuvw']],
    [['groups', 'property-values', '--property', 'php_version']],
    [['export', '--event', 'short']],
    [['export', '--out', 'a-short-one-more']],
    [['sandbox', '--project-key', 'phc_mine', '--project-key=phx_mine']],
  ])('%j is not', (argv) =>
    expect(refusal(() => refuseKeysInArguments(argv, SECRETS, isSwitch))).toBeUndefined(),
  )
})

describe('a variable', () => {
  test.each([
    [{ POSTHOG_PROJECT_ID: 'phx_short' }, 'POSTHOG_PROJECT_ID holds a key'],
    [{ POSTHOG_HOST: 'phc_short' }, 'POSTHOG_HOST holds a key'],
    [{ POSTHOG_INGEST_HOST: 'https://phc_short' }, 'POSTHOG_INGEST_HOST holds a key'],
    [{ POSTHOG_REGION: ' phx_short ' }, 'POSTHOG_REGION holds a key'],
    [{ POSTHOG_PROJECT_API_KEY_FILE: 'phc_short' }, 'POSTHOG_PROJECT_API_KEY_FILE holds a key'],
    [{ POSTHOG_SOURCE_HOST: 'phx_short' }, 'POSTHOG_SOURCE_HOST holds a key'],
    [{ MIXPANEL_PROJECT_ID: SECRETS.MIXPANEL_SERVICE_SECRET }, 'MIXPANEL_PROJECT_ID holds the value of'],
    [{ HTTPS_PROXY: 'http://phc_short:3128' }, 'HTTPS_PROXY holds a key'],
    [{ AMPLITUDE_API_KEY: 'phx_short' }, 'AMPLITUDE_API_KEY holds a key of PostHog'],
  ])('%j is refused', (given, message) => {
    const error = refusal(() => refuseKeysInVariables({ ...SECRETS, ...given }))
    expect(error).toMatchObject({ code: 'config', message: expect.stringContaining(message) })
  })

  test('that is meant for a secret, or that posthaul does not read, may hold one', () => {
    const env = {
      ...SECRETS,
      POSTHOG_PROJECT_API_KEY: 'phc_short',
      POSTHOG_PERSONAL_API_KEY: LONG,
      POSTHOG_SOURCE_API_KEY: LONG,
      POSTHAUL_SANDBOX_PERSONAL_KEY: 'phx_mine',
      NEXT_PUBLIC_POSTHOG_KEY: 'phc_short',
      POSTHOG_HOST: 'https://posthog.example.com',
      POSTHOG_PROJECT_ID: '7',
    }
    expect(refusal(() => refuseKeysInVariables(env))).toBeUndefined()
  })

  test('every secret that the program reads is known', () => {
    const src = join(import.meta.dirname, '../../src')
    const files = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.ts'),
    )
    const read = files.flatMap((file) => {
      const text = readFileSync(join(src, file), 'utf8')
      return text.includes('readSecret') || text.includes('variable:')
        ? [...text.matchAll(/(?:variable: |secret\()'([A-Z_]+)'/g)].map(([, name]) => name)
        : []
    })
    expect(read.length).toBeGreaterThan(6)
    expect(SECRET_VARIABLES).toEqual(expect.arrayContaining(read))
  })
})

describe('a config file', () => {
  test.each([
    ['{"projectId":"phx_short"}'],
    ['{"projectId": phx_short}'],
    ['{"import":{"lanes":["phx_short"]}}'],
    ['{"host":"https://phc_short"}'],
    [`{"projectKeyFile":"/run/${LONG}"}`],
    [`{"projectId":"${SECRETS.MIXPANEL_SERVICE_SECRET}"}`],
  ])('%s is refused', (text) => {
    const error = refusal(() => refuseKeysInConfig(text, 'c.json', SECRETS))
    expect(error).toMatchObject({ code: 'config', message: expect.stringContaining('c.json contains a key') })
  })

  test('may name a file of keys', () =>
    expect(
      refusal(() => refuseKeysInConfig('{"projectKeyFile":"/secrets/phc_key.txt"}', 'c.json', SECRETS)),
    ).toBeUndefined())
})
