// Writes JSON schemas: of mapping and migration files for editors, and for scripts of what `--json` prints.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runnerImport } from 'vite'
import { z } from 'zod'

const source = async (name) => (await runnerImport(join(import.meta.dirname, '../src', name))).module
const { mappingSchema } = await source('mapping/mapping-schema.ts')
const { migrationSchema } = await source('migration/migration-schema.ts')
const { failedResult, RESULTS } = await source('commands/results.ts')
const results = z.union([...Object.values(RESULTS), failedResult])
const schemas = { mapping: mappingSchema, migration: migrationSchema, results }

for (const [name, schema] of Object.entries(schemas)) {
  // A later version prints more members of a result, which a copy of the schema in a script must take.
  const override = ({ jsonSchema }) => {
    if (schema === results && jsonSchema.additionalProperties === false)
      delete jsonSchema.additionalProperties
  }
  const text = JSON.stringify(z.toJSONSchema(schema, { io: 'input', override }), null, 2)
  writeFileSync(new URL(`../dist/${name}.schema.json`, import.meta.url), `${text}\n`)
}
