import { createRequire } from 'node:module'
import { join } from 'node:path'

/** What a manifest is when it has been read. */
export type Fields = Record<string, unknown>

/** The fields that a validation did not ask for: it knows none of that name. It is itself content with any of them. */
export function unknownFields(made: Fields): string[] {
  const asked = new Set<string>()
  const watched = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value
    return new Proxy(value, {
      get: (target, name) => {
        if (typeof name === 'string') asked.add(`${path}/${name}`)
        return watched(Reflect.get(target, name), `${path}/${String(name)}`)
      },
    })
  }
  const pathsOf = (value: unknown, path: string): string[] => {
    if (typeof value !== 'object' || value === null) return []
    return Object.entries(value).flatMap(([name, one]) => [
      `${path}/${name}`,
      ...pathsOf(one, `${path}/${name}`),
    ])
  }
  validate(watched(made, '') as Fields)
  return pathsOf(made, '').filter((path) => !asked.has(path))
}

type Validate = ((made: Fields) => boolean) & { readonly errors?: readonly object[] | null }
const require = createRequire(import.meta.url)
const MODELS = join(import.meta.dirname, '../../node_modules/kubernetes-models')

/** Throws at what the schema of the kind does not allow. It lets unknown fields pass. */
export function validate(made: Fields): void {
  const group = { CronJob: 'Batch', Job: 'Batch', ConfigMap: 'Core', Secret: 'Core' }[String(made.kind)]
  // Its classes copy what they are given, and with it all fields; the functions below them don't.
  const path = join(MODELS, `_schemas/IoK8sApi${group}V1${made.kind}.js`)
  const schema = (require(path) as { readonly validate: Validate }).validate
  if (!schema(made)) throw new Error(JSON.stringify(schema.errors))
}
