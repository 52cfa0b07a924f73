import { isJsonObject, ownOf } from '../../text/json.ts'
import type { CapturedEvent } from '../ingest/event.ts'
import type { EventRules } from '../options.ts'

type Properties = Record<string, unknown>
type Input = (name: string) => unknown

/**
 * The templates that are run: each changes properties in place, and is false for an event that it drops. Read in PostHog's
 * source, nodejs/src/cdp/templates/_transformations. Other transformations are programs of their own, and change nothing here.
 */
const TEMPLATES: Readonly<Record<string, (properties: Properties, input: Input) => boolean>> = {
  'template-drop-events': () => false,
  'template-filter-properties': (properties, input) => {
    for (const path of listIn(input('propertiesToFilter'))) {
      const parts = path.split('.')
      const last = parts.pop()!
      const inner = parts.reduce<unknown>((at, part) => (isJsonObject(at) ? at[part] : undefined), properties)
      if (isJsonObject(inner) && Object.hasOwn(inner, last)) (inner as Properties)[last] = null
    }
    return true
  },
}

export const transformationId = (n: number) => `00000000-0000-4000-8000-00000000003${n}`

/** What the project's transformations make of an event; the name of the one that drops it. */
export function transformed(
  { transformations = [] }: EventRules,
  event: CapturedEvent,
): CapturedEvent | { readonly droppedBy: string } {
  const properties: Properties = structuredClone(event.properties)
  const [succeeded, skipped]: [string[], string[]] = [[], []]
  for (const [n, { name, enabled = true, template, filters, inputs = {} }] of transformations.entries()) {
    const run = ownOf(TEMPLATES, template?.id ?? '')
    if (!run || !enabled) continue
    const names = filters?.events?.map(({ id }) => id) ?? []
    const isAbout = names.length === 0 || names.some((id) => id === null || id === event.event)
    if (isAbout && !run(properties, (key) => inputs[key]?.value)) return { droppedBy: name }
    const noted = isAbout ? succeeded : skipped
    noted.push(`${name} (${transformationId(n)})`)
  }
  if (succeeded.length > 0) properties.$transformations_succeeded = succeeded
  if (skipped.length > 0) properties.$transformations_skipped = skipped
  return succeeded.length + skipped.length > 0 ? { ...event, properties } : event
}

/** The words of a list with commas. */
function listIn(value: unknown): string[] {
  return String(value ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
}
