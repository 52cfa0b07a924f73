// Writes what the program checks mapping and migration files with as JSON schemas, which editors read.
import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { mappingSchema } from '../dist/mapping/mapping-schema.js'
import { migrationSchema } from '../dist/migration/migration-schema.js'

for (const [name, schema] of Object.entries({ mapping: mappingSchema, migration: migrationSchema })) {
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input' }), null, 2)
  writeFileSync(new URL(`../dist/${name}.schema.json`, import.meta.url), `${text}\n`)
}
