import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { type Answers, firstFile, initMigration } from '../../../src/commands/run/init.ts'
import { parseMigration } from '../../../src/migration/migration-file.ts'
import { runCommand } from '../../helpers/command.ts'
import { testFolder } from '../../helpers/folder.ts'

const FILES: Answers['source'] = { kind: 'files', files: ['data/*.json', 'true', 'a b: c'], preset: 'ga4' }
const vendor = (vendor: string, to?: string): Answers['source'] => ({
  kind: 'vendor',
  vendor,
  from: '2023-01-01',
  to,
})

test.each([
  [vendor('mixpanel', '2024-01-01')],
  [vendor('amplitude')],
  [vendor('matomo', '2024-01-01')],
  [vendor('posthog')],
  [FILES],
])('a first file is a migration file as it is: %j', (source) => {
  const text = firstFile({
    source,
    store: 's3://bucket/prefix',
    target: { host: 'https://posthog.example.com' },
  })
  expect(text.split('\n').filter((line) => line.length > 90)).toEqual([])
  const migration = parseMigration(text, 'migration.yaml', {})
  expect(migration.isScheduled).toBe(source.kind === 'vendor' && source.to === undefined)
  expect(migration.store.at).toBe('s3://bucket/prefix')
  if (source.kind === 'files') expect(migration.source).toEqual({ kind: 'files', files: source.files })
  else expect(migration.source).toMatchObject({ vendor: source.vendor, from: Date.UTC(2023, 0, 1) })
})

test('its comments are settings: without the marks they are read too', () => {
  const text = firstFile({ source: vendor('mixpanel'), store: 'store', target: { region: 'eu' } })
  const uncommented = text.replaceAll(/^( *)# ((?: {2})?(?:\w+: .*|approval:))$/gm, '$1$2')
  const { approval, target, source, mapping } = parseMigration(uncommented, 'migration.yaml', {})
  expect(approval).toMatchObject({ events: 50_000_000, events_per_minute: 20_000 })
  expect(target.project_id).toBe('12345')
  expect(source).toMatchObject({ to: Date.UTC(2030, 0, 1), settings: { profiles: true, region: 'eu' } })
  expect(mapping.file).toBe('mapping.yaml')
})

const IO = { stderr: { isTTY: false, columns: undefined, write: () => undefined } }
const SAID = {
  source: 'files' as const,
  ...{ in: ['a.ndjson'], preset: 'segment', store: 'store', region: 'eu' as const },
  ...{ days: undefined, host: undefined },
}

test('an option that is missing is named, and nothing is written', async () => {
  const file = join(testFolder(), 'migration.yaml')
  for (const [flag, missing] of [
    ['--source <', { source: undefined }],
    ['--days', { source: 'mixpanel' as const }],
    ['--in', { in: [] }],
    ['--preset', { preset: undefined }],
    ['--store', { store: undefined }],
    ['--region', { region: undefined }],
  ] as const)
    await expect(initMigration(file, { ...SAID, ...missing }, IO)).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining(`${flag}`),
    })
  await initMigration(file, SAID, IO)
  expect(parseMigration(readFileSync(file, 'utf8'), file, {}).source).toMatchObject({ files: ['a.ndjson'] })
})

test('a file that is there is left as it is: it may hold a day of work', async () => {
  const file = join(testFolder(), 'migration.yaml')
  writeFileSync(file, 'mine')
  await expect(initMigration(file, SAID, IO)).rejects.toMatchObject({
    code: 'usage',
    message: `${file} is there already, and was left as it is`,
  })
  expect(readFileSync(file, 'utf8')).toBe('mine')
})

test('--region is stronger than the POSTHOG_HOST that a rehearsal left', async () => {
  const folder = testFolder()
  const words = ['--source', 'mixpanel', '--days', '2024-01-01..2024-02-01', '--store', 's', '--region', 'eu']
  const env = { POSTHOG_HOST: 'http://127.0.0.1:9' }
  await runCommand(['run', '--init', join(folder, 'm.yaml'), ...words], { env })
  expect(readFileSync(join(folder, 'm.yaml'), 'utf8')).toMatch(/^target:\n +region: eu$/m)
})
