import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadMigration } from '../../src/migration/migration-file.ts'
import { migrationSubject, runSubject } from '../../src/migration/migration-subject.ts'
import { testFolder } from '../helpers/folder.ts'

test.each([
  ['s3://bucket/prefix', true],
  ['{ at: s3://bucket/prefix, single_writer: true }', false],
])('of the store %s the conditions of its writes are tried: %s', async (store, conditional) => {
  const file = join(testFolder(), 'migration.yaml')
  writeFileSync(
    file,
    `source: { files: [in.ndjson] }\nmapping: { preset: posthog }\nstore: ${store}\ntarget: { region: eu }\n`,
  )
  const loaded = await loadMigration(file, {})
  const place = expect.objectContaining({ use: 'writes', conditional })
  expect((await migrationSubject(loaded, file, {})).places).toEqual([place])
  expect((await runSubject(loaded, [], {})).places).toEqual([place])
})
