import { Engine, type Mapped } from '../../../src/transform/engine.ts'
import { NO_MAPPING } from '../../../src/transform/mapping.ts'
import type { Preset } from '../../../src/transform/preset.ts'

interface EventLine {
  readonly uuid: string
  readonly timestamp: string
  readonly event: string
  readonly distinct_id: string
  readonly properties: Record<string, unknown>
}

interface Options {
  readonly sourceTimezone?: string | undefined
  readonly switches?: readonly string[]
}

/** An engine as of 2026, without a mapping file. */
export function makeEngine(preset: Preset, { sourceTimezone, switches = [] }: Options = {}): Engine {
  return new Engine(
    preset,
    { ...NO_MAPPING, sourceTimezone },
    {
      now: Date.UTC(2026, 0, 1) * 1000,
      version: '9.9.9',
      switches: new Set(switches),
      groupEventName: '$groupidentify',
    },
  )
}

/** Maps one record, an object or its JSON text; `event` is undefined when none came of it. */
export function mapOne(
  preset: Preset,
  record: object | string,
  options: Options = {},
): { mapped: Mapped; event: EventLine | undefined } {
  const engine = makeEngine(preset, options)
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const mapped = engine.map(line, 0, line.length)
  const text = engine.out.bytes.toString('utf8', 0, engine.out.length)
  return { mapped, event: mapped.status === 'event' ? (JSON.parse(text) as EventLine) : undefined }
}

/** The properties of the event that a record becomes. */
export function propertiesOf(preset: Preset, record: object): Record<string, unknown> {
  const { mapped, event } = mapOne(preset, record)
  if (!event) throw new Error(`no event came of it: ${JSON.stringify(mapped)}`)
  return event.properties
}
