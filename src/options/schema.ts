import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { nearest } from '../nearest.ts'

const count = z.int().positive()

/** What `posthaul.config.json` may say. Keys (secrets) are not among it: only the names of files that hold them. */
export const configSchema = z.strictObject({
  region: z.enum(['us', 'eu']).optional(),
  host: z.string().optional(),
  ingestHost: z.string().optional(),
  projectId: z.union([z.string(), z.int()]).optional(),
  projectKeyFile: z.string().optional(),
  personalKeyFile: z.string().optional(),
  import: z
    .strictObject({
      maxEventsPerMinute: count.optional(),
      maxEvents: count.optional(),
      batchEvents: count.optional(),
      batchBytes: count.optional(),
      lanes: count.optional(),
      retryFor: z.string().optional(),
    })
    .optional(),
})

export type ConfigFile = z.infer<typeof configSchema>

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(configSchema.shape),
  import: Object.keys(configSchema.shape.import.unwrap().shape),
}
const LOOKS_LIKE_A_KEY = /"(?:phc|phx|phs)_/

/** Validates the text of a config file; `name` is how errors call it. */
export function parseConfig(text: string, name: string): ConfigFile {
  // The value must not be repeated: the message lands in logs.
  if (LOOKS_LIKE_A_KEY.test(text)) {
    throw new PosthaulError(`${name} contains a key; config files are shared and committed, keys are not`, {
      code: 'config',
      hint: 'put the key in a file with mode 0600 and name that file as projectKeyFile or personalKeyFile',
    })
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new PosthaulError(`${name} is not valid JSON: ${(cause as SyntaxError).message}`, {
      code: 'config',
      cause,
    })
  }
  const parsed = configSchema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]!
  const path = issue.path.join('.')
  if (issue.code !== 'unrecognized_keys') {
    throw new PosthaulError(`${name}: ${path || 'the file'}: ${issue.message}`, { code: 'config' })
  }
  const unknown = issue.keys[0]!
  const known = KNOWN[path] ?? []
  const meant = nearest(unknown, known)
  throw new PosthaulError(`${name}: ${path ? `${path}.` : ''}${unknown} is not a setting`, {
    code: 'config',
    hint: meant ? `did you mean ${meant}?` : `known here: ${known.join(', ')}`,
  })
}
