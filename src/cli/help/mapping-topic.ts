import { z } from 'zod'
import { mappingSchema } from '../../mapping/mapping-schema.ts'
import { folded } from '../../text/fold.ts'

const INDENT = ' '.repeat(21)

const HEAD = `A mapping file, YAML or JSON, adds to what a preset knows. Unknown keys are
errors.

  posthaul transform --map mapping.yaml --in raw/ --out events/ --dry-run

  preset: mixpanel
  events:
    rename: { "Signed Up": user signed up }
    drop: [heartbeat]
  properties:
    drop: [internal_note]
  filter:
    from: 2022-01-01
  groups:
    company: properties.company_id

Its keys:
`

const FOOT = `
A path is dotted: properties.plan. docs/mapping-files.md shows each at work.
`

/** What of a JSON Schema is shown. */
const shown = z.object({
  description: z.string().optional(),
  enum: z.array(z.string()).optional(),
  get properties() {
    return z.record(z.string(), shown).optional()
  },
})
/** `help mapping`, from the schema that mapping files are checked by. */
export function mappingTopic(): string {
  const { properties = {} } = shown.parse(
    z.toJSONSchema(mappingSchema, { unrepresentable: 'any', io: 'input' }),
  )
  const { $schema: _, ...keys } = properties
  return `${HEAD}${keyLines(keys, '  ')}${FOOT}`
}

/** The keys of an object, those of the objects in it below, each further in. */
function keyLines(keys: Readonly<Record<string, z.infer<typeof shown>>>, indent: string): string {
  return Object.entries(keys)
    .map(([key, { description, enum: words, properties = {} }]) => {
      const text = description ?? (words ? `One of ${words.join(', ')}.` : '')
      const head = `${indent}${key}`.padEnd(INDENT.length)
      const first = text === '' ? `${head.trimEnd()}\n` : folded(text, INDENT, head)
      return `${first}${keyLines(properties, `${indent}  `)}`
    })
    .join('')
}
