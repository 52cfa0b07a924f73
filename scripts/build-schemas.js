// Writes what the program checks mapping and migration files with as JSON schemas, which editors read.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { z } from 'zod'

const source = async (name) => (await runnerImport(join(import.meta.dirname, '../src', name))).module
const { mappingSchema } = await source('mapping/mapping-schema.ts')
const { migrationSchema } = await source('jobs/run/migration-schema.ts')

for (const [name, schema] of Object.entries({ mapping: mappingSchema, migration: migrationSchema })) {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)
  writeFileSync(new URL(`../dist/${name}.schema.json`, import.meta.url), `${text}\n`)
}
